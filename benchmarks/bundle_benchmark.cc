// Opening and reading tensor bundles, each beside what the machine can do at best.
//
// Machines differ and are shared, so a restore reports `of_floor`: its throughput over that of the floor (a
// plain copy or plain reads of the same bytes), both measured in turns in the same run.
#include <benchmark/benchmark.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#if __has_include(<leveldb/table.h>)
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#endif

#include "savedmodel/base/file_system.h"
#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/checkpoint/bundle/bundle_reader.h"
#include "savedmodel/tests/support/bundle_builder.h"

namespace savedmodel {
namespace {

constexpr int kKeys = 50'000;
constexpr int kTensors = 16;
constexpr int64_t kTensorBytes = int64_t{8} << 20;

// ---- The index ----

std::string IndexOf50000Keys() {
  testing::BundleBuilder bundle;
  for (int i = 0; i < kKeys; ++i) {
    bundle.entries["model/layer_with_weights-" + std::to_string(100'000 + i) +
                   "/kernel/.ATTRIBUTES/VARIABLE_VALUE"] = {
        .dtype = 1, .shape = {128, 64}, .offset = int64_t{32768} * i, .size = 32768, .crc32c = 12345};
  }
  return bundle.Files("m").at("m.index");
}

std::shared_ptr<MemoryFileSystem> IndexFiles() {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Add("m.index", Buffer::FromString(IndexOf50000Keys()));
  return files;
}

void OpenIndex(benchmark::State& state) {
  const auto files = IndexFiles();
  for (auto _ : state) {
    const auto reader = BundleReader::Open("m", {.file_system = files});
    if (!reader.ok() || reader->keys().size() != kKeys) state.SkipWithError("open failed");
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}
BENCHMARK(OpenIndex)->Unit(benchmark::kMillisecond);

void FindEveryKey(benchmark::State& state) {
  const auto reader = BundleReader::Open("m", {.file_system = IndexFiles()});
  for (auto _ : state) {
    for (std::string_view key : reader->keys()) benchmark::DoNotOptimize(reader->Find(key));
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}
BENCHMARK(FindEveryKey)->Unit(benchmark::kMillisecond);

#if __has_include(<leveldb/table.h>)
class StringSource : public leveldb::RandomAccessFile {
 public:
  explicit StringSource(std::string bytes) : bytes_(std::move(bytes)) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char* /*scratch*/) const override {
    *result = leveldb::Slice(bytes_.data() + offset, n);
    return leveldb::Status::OK();
  }
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

// The same keys listed by LevelDB, checksums verified; it keeps none of them.
void OpenAndScanByLevelDb(benchmark::State& state) {
  StringSource source(IndexOf50000Keys());
  for (auto _ : state) {
    leveldb::Table* opened = nullptr;
    if (!leveldb::Table::Open({}, &source, source.size(), &opened).ok())
      return state.SkipWithError("open failed");
    const std::unique_ptr<leveldb::Table> table(opened);
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
    int keys = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++keys;
    if (keys != kKeys + 1) state.SkipWithError("scan failed");
  }
  state.SetItemsProcessed(state.iterations() * kKeys);
}
BENCHMARK(OpenAndScanByLevelDb)->Unit(benchmark::kMillisecond);
#endif

// ---- Tensors ----

// A bundle of 16 tensors of 8 MiB on disk, and memory for them, touched before it is timed.
class Restore {
 public:
  Restore()
      : directory_(std::filesystem::temp_directory_path() /
                   ("bundle_benchmark_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
    testing::BundleBuilder bundle;
    for (int i = 0; i < kTensors; ++i) {
      std::string bytes(kTensorBytes, static_cast<char>('a' + i));
      bundle.Add({.key = "t" + std::to_string(i), .dtype = 1, .shape = {kTensorBytes / 4}, .payload = bytes});
      source_ += bytes;
    }
    for (const auto& [name, content] : bundle.Files("m"))
      std::ofstream(directory_ / name, std::ios::binary) << content;
    memory_.assign(source_.size(), std::byte{1});
  }
  ~Restore() { std::filesystem::remove_all(directory_); }

  BundleReader Open() const { return *BundleReader::Open((directory_ / "m").string()); }
  std::vector<ReadRequest> ToMemory(const BundleReader& reader) {
    std::vector<ReadRequest> requests;
    for (std::string_view key : reader.keys()) {
      const size_t at = requests.size() * kTensorBytes;
      requests.push_back({.key = key, .destination = std::span(memory_).subspan(at, kTensorBytes)});
    }
    return requests;
  }
  void Copy() { std::memcpy(memory_.data(), source_.data(), source_.size()); }
  void ReadPlainly() {
    const auto file =
        *(*PosixFileSystem()->OpenDirectory(directory_.string()))->OpenFile("m.data-00000-of-00001");
    constexpr size_t kChunk = 1 << 20;
    for (size_t at = 0; at < memory_.size(); at += kChunk) {
      if (!file->ReadAt(at, std::span(memory_).subspan(at, kChunk)).ok()) std::abort();
    }
  }
  size_t bytes() const { return source_.size(); }

 private:
  std::filesystem::path directory_;
  std::string source_;
  std::vector<std::byte> memory_;
};

Restore& TheRestore() {
  static Restore restore;
  return restore;
}

double Seconds(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Runs `work` and `floor` in turns.
void Compare(benchmark::State& state, const auto& work, const auto& floor) {
  std::vector<double> ours;
  std::vector<double> best;
  for (auto _ : state) {
    ours.push_back(Seconds(work));
    best.push_back(Seconds(floor));
    state.SetIterationTime(ours.back());
  }
  const auto bytes = static_cast<double>(TheRestore().bytes());
  state.counters["GB/s"] = bytes / Median(ours) / 1e9;
  state.counters["floor_GB/s"] = bytes / Median(best) / 1e9;
  state.counters["of_floor"] = Median(best) / Median(ours);
}

// Argument: threads.
void RestoreToMemory(benchmark::State& state, ReadMode mode, Verify verify, void (Restore::*floor)()) {
  Restore& restore = TheRestore();
  const BundleReader reader = restore.Open();
  const std::vector<ReadRequest> requests = restore.ToMemory(reader);
  ReadOptions options{.mode = mode, .verify = verify};
  options.control.threads = static_cast<int>(state.range(0));
  Compare(
      state,
      [&] {
        if (!reader.ReadMany(requests, options).ok()) std::abort();
      },
      [&] { (restore.*floor)(); });
}
BENCHMARK_CAPTURE(RestoreToMemory, mapped_over_memcpy, ReadMode::kMapped, Verify::kAlways, &Restore::Copy)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RestoreToMemory, mapped_unverified_over_memcpy, ReadMode::kMapped, Verify::kNever,
                  &Restore::Copy)
    ->Arg(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(RestoreToMemory, copied_over_pread, ReadMode::kCopied, Verify::kAlways,
                  &Restore::ReadPlainly)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Tensors that point into the file, each verified where it lies.
void RestoreZeroCopy(benchmark::State& state) {
  Restore& restore = TheRestore();
  const BundleReader reader = restore.Open();
  std::vector<Tensor> tensors(kTensors);
  std::vector<ReadRequest> requests;
  for (std::string_view key : reader.keys())
    requests.push_back({.key = key, .tensor = &tensors[requests.size()]});
  ReadOptions options;
  options.control.threads = static_cast<int>(state.range(0));
  Compare(
      state,
      [&] {
        if (!reader.ReadMany(requests, options).ok()) std::abort();
      },
      [&] { restore.Copy(); });
}
BENCHMARK(RestoreZeroCopy)->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace savedmodel
