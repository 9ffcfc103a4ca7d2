// A caller's FileSystem that hands over what it should not: null, or another number of bytes than was asked for.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "savedmodel/base/file_system.h"

namespace savedmodel::testing {

enum class Fault { kNone, kNullDirectory, kNullFile, kMapsLess, kMapsMore };

class CarelessFile : public RandomAccessFile {
 public:
  CarelessFile(std::shared_ptr<const RandomAccessFile> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}
  const std::string& name() const override { return inner_->name(); }
  uint64_t size() const override { return inner_->size(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> out) const override {
    return inner_->ReadAt(offset, out);
  }
  StatusOr<Buffer> Map(uint64_t offset, uint64_t size) const override {
    if (fault_ == Fault::kMapsMore)
      return Buffer::FromString(std::string(static_cast<size_t>(size) + 1, 'x'));
    return inner_->Map(offset, fault_ == Fault::kMapsLess ? size - 1 : size);
  }

 private:
  std::shared_ptr<const RandomAccessFile> inner_;
  Fault fault_;
};

class CarelessDirectory : public Directory {
 public:
  CarelessDirectory(std::shared_ptr<const Directory> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}
  const std::string& name() const override { return inner_->name(); }
  StatusOr<std::shared_ptr<const RandomAccessFile>> OpenFile(std::string_view name) const override {
    if (fault_ == Fault::kNullFile) return nullptr;
    auto file = inner_->OpenFile(name);
    if (!file.ok()) return file.status();
    return std::make_shared<CarelessFile>(*std::move(file), fault_);
  }
  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view name) const override {
    return inner_->OpenDirectory(name);
  }
  StatusOr<FileKind> Stat(std::string_view name) const override { return inner_->Stat(name); }
  StatusOr<std::vector<DirectoryEntry>> List() const override { return inner_->List(); }

 private:
  std::shared_ptr<const Directory> inner_;
  Fault fault_;
};

class CarelessFileSystem : public FileSystem {
 public:
  CarelessFileSystem(std::shared_ptr<const FileSystem> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}
  StatusOr<std::shared_ptr<const Directory>> OpenDirectory(std::string_view path) const override {
    if (fault_ == Fault::kNullDirectory) return nullptr;
    auto directory = inner_->OpenDirectory(path);
    if (!directory.ok()) return directory.status();
    return std::make_shared<CarelessDirectory>(*std::move(directory), fault_);
  }

 private:
  std::shared_ptr<const FileSystem> inner_;
  Fault fault_;
};

}  // namespace savedmodel::testing
