// A tensor's elements as nested lists: JSON, or text for people.
//
// JSON: numbers as the shortest decimal that means the same element; NaN and infinities as the strings "NaN",
// "Infinity",
// "-Infinity"; complex numbers as [re, im]; strings as text where they are UTF-8, else {"b64": "..."};
// elements of variants and other bytes as {"b64": "..."}. Text: the same without the quotes around NaN and
// infinities, complex numbers as 1+2j, strings in double quotes with \xNN for bytes that are not printable.
#pragma once

#include "savedmodel/base/status.h"
#include "savedmodel/base/tensor.h"
#include "savedmodel/tools/output.h"

namespace savedmodel::tools {

enum class ValueStyle { kJson, kText };

// OK when the elements can be written. Errors: ResourceExhausted (a tensor without elements whose lists would
// be absurdly many: [1000000000000,0]), Unimplemented (a dtype without a text).
Status CheckWritable(const Tensor& tensor);
// Writes as it goes; nothing is kept. Needs CheckWritable.
void WriteValues(const Tensor& tensor, ValueStyle style, Output& out);

}  // namespace savedmodel::tools
