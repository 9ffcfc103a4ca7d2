"""What the sample resume_training prints is what TensorFlow prints when it goes on with the same checkpoint."""

import os

import interop

tf = interop.tensorflow()

from models.training import Line, line_optimizer  # noqa: E402  (needs TensorFlow)

PREFIX = os.path.join(interop.FIXTURES, "data", "training_loop", "ckpt-1")
PRINTED = os.path.join(interop.PROJECT, "samples", "resume_training.out")


def state(model):
    w, b = model.w.numpy(), model.b.numpy()
    return f"loss {model.loss().numpy():.4f}, w {w[0]:.4f} {w[1]:.4f}, b {b:.4f}"


def resume():
    """The lines that the sample's loop prints, from TensorFlow."""
    model, optimizer = Line(), line_optimizer()
    status = tf.train.Checkpoint(model=model, optimizer=optimizer).restore(PREFIX)
    status.assert_existing_objects_matched()
    for _ in range(6):
        yield state(model)
        model.train(optimizer)
    status.assert_consumed()
    yield "every stored value was used"


def main():
    report = interop.Report("lines")
    with open(PRINTED, encoding="utf-8") as file:
        printed = file.read().splitlines()
    lines = list(resume())
    report.equal("number of lines", len(printed), len(lines))
    for number, (found, expected) in enumerate(zip(printed, lines), 1):
        report.equal(f"line {number}", found, expected)
    report.finish()


main()
