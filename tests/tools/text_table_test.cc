#include "savedmodel/tools/text_table.h"

#include <gtest/gtest.h>

#include "savedmodel/tests/tools/capture.h"

namespace savedmodel::tools {
namespace {

TEST(TextTable, ColumnsAreAlignedAndTheLastIsNotPadded) {
  TextTable table;
  table.AlignRight(1);
  table.AddRow({"a", "1", "x"});
  table.AddRow({"long", "1000", "y"});
  table.AddRow({"\xc3\xa9", "20"});
  Capture capture;
  table.Print(capture.out(), "  ");
  EXPECT_EQ(capture.Text(),
            "  a        1  x\n"
            "  long  1000  y\n"
            "  \xc3\xa9       20\n");
}

TEST(TextTable, OneLongNameDoesNotPushTheOthersAway) {
  TextTable table;
  table.AddRow({std::string(1000, 'n'), "1"});
  table.AddRow({"a", "2"});
  Capture capture;
  table.Print(capture.out());
  EXPECT_EQ(capture.Text(), std::string(1000, 'n') + "  1\na" + std::string(79, ' ') + "  2\n");
}

}  // namespace
}  // namespace savedmodel::tools
