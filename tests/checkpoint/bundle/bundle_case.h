// Runs the rows of tests/cases/*.json that are about bundles, those with "do": an input built from its description, then what
// is done with it and what must come out.
//
//   {"case": "C5", "title": "a flipped byte of a string's length",
//    "input": {"bundle": {"tensors": [{"key": "s", "dtype": "string", "shape": [1], "strings": ["hello"]}]},
//              "damage": [{"file": ".data-00000-of-00001", "at": 0, "xor": 1}]},
//    "do": {"read": "s"}, "expected": {"code": "DATA_LOSS", "contains": "length checksum"}}
//
// input
//   "bundle": header, table, num_shards, big_endian, alignment, tensors, many, large_records, records
//   "table": in its place, an index made of "blocks" as they are
//   "damage": changes of the files of either
//   "files": further files by name, made of text, hex, zeros or a copy; "directories": names of directories
//   The bundle's prefix is "m".
// tensor
//   key (or key_hex), dtype (name or number), shape, shard, and one of values, bits, strings, variants,
//   payload_hex, parts; "entry": fields of the index entry to overwrite
// do
//   one step or a list of them on the same reader: {"open": prefix}, {"read": key}, {"find": key},
//   {"keys": true}, {"many": [keys]}, {"verify": true}, {"spec": text}. A read may have "slice" or "rows"; it
//   is made in every way there is (mapped, copied, to memory, on several threads) and all must agree.
// expected
//   one per step: "code" (OK when absent), "contains" (text or list), and for OK "values", "bits", "strings",
//   "dtype", "shape", "keys", "count", "bad" (keys that do not verify)
//
// Codes are spelled as in absl::StatusCodeToString.
#pragma once

#include <nlohmann/json.hpp>

namespace savedmodel::testing {

// Fails the test that calls it when the row does not hold.
void RunBundleCase(const nlohmann::json& row);

}  // namespace savedmodel::testing
