// What every program here asks the installed library: does it still load a model, whole, in part, and into
// memory that was there before?
#pragma once

#include <string>

// "whole 8 step 1311768467463792376 | part 105.6 | key 701.2" for the fixture `nested_modules`; else the
// error.
std::string AskSavedModel(const std::string& model);
