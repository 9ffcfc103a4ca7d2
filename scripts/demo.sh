#!/usr/bin/env bash
# Shows what the library does, from nothing: installs what building needs, builds the command and the samples, and
# loads models that TensorFlow wrote: whole, in part, into memory that a program owned before, and into the objects of a
# program that trains.
#
#   scripts/demo.sh [MODEL_DIRECTORY]     also shows a model of yours
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install_dependencies.sh build
cmake --preset release
cmake --build --preset release --target savedmodel_command sample_load_whole sample_load_part \
  sample_load_into_own_memory sample_read_checkpoint sample_resume_training sample_rename_variables

export PATH="$PWD/build/release/bin:$PATH"
model=tests/fixtures/data/nested_modules

title() { printf '\n\n=== %s\n' "$*"; }
run() { printf '\n$ %s\n' "$*"; "$@"; }

title "A SavedModel that TensorFlow wrote: what it is, and its objects"
run savedmodel show $model
run savedmodel tree $model

title "Whole: every variable, where its bytes are, and a real load"
run savedmodel ls $model --long
run savedmodel load $model
run sample_load_whole $model

title "In part: only root.encoder; the plan first, then the load"
run savedmodel load $model --filter root.encoder --plan
run savedmodel load $model --filter root.encoder
run sample_load_part $model root.encoder
run savedmodel cat $model root.encoder.layer.kernel

title "Into variables that the program owned before"
run sample_load_into_own_memory $model root.encoder.layer.kernel

title "A checkpoint by key, without any object"
run sample_read_checkpoint tests/fixtures/data/optimizer_slots_model/variables/variables

title "Into the objects of a training program: TensorFlow's loop goes on; a TensorFlow 1 checkpoint under other names"
run sample_resume_training tests/fixtures/data/training_loop/ckpt-1
run sample_rename_variables tests/fixtures/data/v1_saver/ckpt-7

title "Is every byte what TensorFlow wrote?"
run savedmodel verify $model

if [ $# -gt 0 ]; then
  title "Your model"
  run savedmodel show "$1"
  run savedmodel load "$1"
fi
