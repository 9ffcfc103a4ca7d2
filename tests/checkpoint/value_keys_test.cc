#include "savedmodel/checkpoint/value_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "savedmodel/base/memory_file_system.h"
#include "savedmodel/tests/support/bundle_builder.h"
#include "savedmodel/tests/support/status_matchers.h"

namespace savedmodel {
namespace {

using ::savedmodel::testing::BundleBuilder;
using ::savedmodel::testing::BytesOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using State = ValueKey::State;

// What is found for values of these names when the index holds `keys`.
class ValueKeysTest : public ::testing::Test {
 protected:
  void Attribute(const std::string& name, const std::string& key) {
    node.attributes.push_back({.name = name, .checkpoint_key = key});
  }
  NodeKeys Find(const std::vector<std::string>& names, const std::vector<std::string>& keys) {
    BundleBuilder bundle;
    for (const std::string& key : keys) bundle.Add({.key = key, .payload = BytesOf<float>({1})});
    const auto files = std::make_shared<MemoryFileSystem>();
    bundle.WriteTo(*files, "c");
    const StatusOr<BundleReader> reader = BundleReader::Open("c", {.file_system = files});
    EXPECT_THAT(reader, testing::IsOk());
    return KeysByAttribute(node, Values(names), &*reader);
  }
  NodeKeys FindWithoutIndex(const std::vector<std::string>& names) {
    return KeysByAttribute(node, Values(names), nullptr);
  }

  Node node;

 private:
  static std::vector<CheckpointValue> Values(const std::vector<std::string>& names) {
    std::vector<CheckpointValue> values;
    for (const std::string& name : names) values.push_back({.name = name});
    return values;
  }
};

ValueKey Stored(std::string key) { return {State::kStored, std::move(key)}; }
ValueKey Missing(std::string key) { return {State::kMissing, std::move(key)}; }
const ValueKey kUnknown;

TEST_F(ValueKeysTest, AValueHasTheKeyOfTheAttributeOfItsName) {
  Attribute("b", "key of b");
  Attribute("a", "key of a");
  const NodeKeys keys = Find({"a", "b"}, {"key of a", "key of b"});
  EXPECT_THAT(keys.values, ElementsAre(Stored("key of a"), Stored("key of b")));
  EXPECT_THAT(keys.unused_attributes, IsEmpty());
}

TEST_F(ValueKeysTest, ARecordedKeyNeedNotBeStored) {
  Attribute("a", "gone");
  EXPECT_THAT(Find({"a"}, {"k"}).values, ElementsAre(Missing("gone")));
  EXPECT_THAT(FindWithoutIndex({"a"}).values, ElementsAre(Stored("gone")))
      << "without an index what is recorded counts";
}

TEST_F(ValueKeysTest, ANameThatIsNotRecordedIsUnknown) {
  Attribute("a", "k");
  EXPECT_THAT(Find({"b", "A", "a "}, {"k"}).values, ElementsAre(kUnknown, kUnknown, kUnknown));
  node.attributes.clear();
  EXPECT_THAT(Find({"a"}, {"a"}).values, ElementsAre(kUnknown)) << "a key is never made from a name";
}

TEST_F(ValueKeysTest, AttributesThatNobodyTakesAreGivenByPosition) {
  Attribute("x", "1");
  Attribute("a", "2");
  Attribute("x", "3");
  EXPECT_THAT(Find({"a"}, {"1", "2", "3"}).unused_attributes, ElementsAre(0, 2));
  EXPECT_THAT(Find({}, {"1"}).unused_attributes, ElementsAre(0, 1, 2));
}

TEST_F(ValueKeysTest, OfTwoAttributesOfOneNameTheFirstIsTaken) {
  Attribute("a", "1");
  Attribute("a", "2");
  const NodeKeys keys = Find({"a"}, {"1", "2"});
  EXPECT_THAT(keys.values, ElementsAre(Stored("1")));
  EXPECT_THAT(keys.unused_attributes, ElementsAre(1));
}

TEST_F(ValueKeysTest, SlicesOfOneTensorShareItsAttribute) {
  Attribute("a", "k");
  const NodeKeys keys = Find({"a", "a"}, {"k"});
  EXPECT_THAT(keys.values, ElementsAre(Stored("k"), Stored("k")));
  EXPECT_THAT(keys.unused_attributes, IsEmpty());
}

// TensorFlow escapes the names of an object's tensors and not those of its saveables.
TEST_F(ValueKeysTest, ANameIsAlsoFoundInItsEscapedForm) {
  Attribute("a..b.Sc", "k");
  const NodeKeys keys = Find({"a.b/c"}, {"k"});
  EXPECT_THAT(keys.values, ElementsAre(Stored("k")));
  EXPECT_THAT(keys.unused_attributes, IsEmpty());
}

TEST_F(ValueKeysTest, AnEscapedNameIsNotUnescaped) {
  Attribute("a.b/c", "k");
  EXPECT_THAT(Find({"a..b.Sc"}, {"k"}).values, ElementsAre(kUnknown));
}

// ---- One attribute for several tensors ----

TEST_F(ValueKeysTest, AnAttributeStandsForStoredKeysThatBeginWithItsKey) {
  Attribute("table", "t/table");
  const NodeKeys keys = Find({"table-keys", "table-values"}, {"t/table-keys", "t/table-values"});
  EXPECT_THAT(keys.values, ElementsAre(Stored("t/table-keys"), Stored("t/table-values")));
  EXPECT_THAT(keys.unused_attributes, IsEmpty());
}

TEST_F(ValueKeysTest, OnlyForKeysThatAreThere) {
  Attribute("table", "t/table");
  const NodeKeys keys = Find({"table-keys", "table-values"}, {"t/table-keys"});
  EXPECT_THAT(keys.values, ElementsAre(Stored("t/table-keys"), kUnknown));
  EXPECT_THAT(Find({"table-keys"}, {"other"}).unused_attributes, ElementsAre(0));
  EXPECT_THAT(FindWithoutIndex({"table-keys"}).values, ElementsAre(kUnknown));
}

TEST_F(ValueKeysTest, AnAttributeOfTheWholeNameComesFirst) {
  Attribute("table", "t");
  Attribute("table-keys", "elsewhere");
  EXPECT_THAT(Find({"table-keys"}, {"t-keys", "elsewhere"}).values, ElementsAre(Stored("elsewhere")));
  EXPECT_THAT(Find({"table-keys"}, {"t-keys"}).values, ElementsAre(Stored("t-keys")))
      << "unless what it names is not there";
}

}  // namespace
}  // namespace savedmodel
