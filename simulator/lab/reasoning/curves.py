"""Which curves the reasoning lab draws, and in which order."""

from simulator.charts.curves import CurveFigure, plain_curve, training_curve, training_table
from simulator.charts.table import Table
from simulator.engine import ReasoningSimulation
from simulator.labels.reasoning import FAMILIES, TRIES

Curves = tuple[tuple[tuple[str, ...], str], ...]

MAIN: Curves = (
    (("train_accuracy", "held_out_accuracy"), "Accuracy"),
    (("right_response_length", "wrong_response_length"), "Length of right and of wrong responses"),
    (("reward",), "Reward"),
    (("kl",), "KL to the reference"),
    (("entropy",), "Entropy"),
)

BY_FAMILY: Curves = tuple(
    (tuple(f"{metric}_{family}" for family in FAMILIES), title)
    for metric, title in (
        ("train_accuracy", "Train accuracy by family"),
        ("held_out_accuracy", "Held-out accuracy by family"),
    )
)

MORE: Curves = (
    (("clip_fraction",), "Clipped tokens"),
    (("ratio_dev",), "Ratio’s distance from 1"),
    (("importance_sampling_ratio",), "Mean importance ratio"),
    (("frac_zero_std",), "Silent groups"),
    (("reward_std",), "Reward spread in a group"),
    (("grad_norm",), "Gradient norm"),
    (("policy_objective",), "Objective"),
    (("kl_k1", "kl_k3"), "KL, estimated"),
    (("accuracy",), "Right responses, sampled"),
    (("length_wrong",), "Length of wrong responses, sampled"),
    (("response_length",), "Mean length"),
    (("truncated",), "Truncated"),
    (("guess_share",), "Guesses"),
    (("generalization_gap",), "Generalization gap"),
    (("dynamic_sampling_pass_rate",), "Groups kept"),
    (("sampled",), "Responses so far"),
    (("lr",), "Learning rate"),
)


# Where the title says the rest, a line's end carries this.
SHORT = {
    "train_accuracy": "trained on",
    "held_out_accuracy": "held out",
    "right_response_length": "right",
    "wrong_response_length": "wrong",
    "kl_k1": "k1",
    "kl_k3": "k3",
    **{
        f"{metric}_{name}": label
        for metric in ("train_accuracy", "held_out_accuracy")
        for name, label in FAMILIES.items()
    },
}


def figures(chosen: Curves, run: ReasoningSimulation, before: ReasoningSimulation | None) -> list[CurveFigure]:
    """The curves of a run, with those of an earlier one behind."""
    return [
        training_curve(
            run,
            names,
            previous=before,
            title=title,
            short=[SHORT[name] for name in names] if len(names) > 1 else (),
        )
        for names, title in chosen
    ]


def exact_table(run: ReasoningSimulation) -> Table:
    """What is calculated every few steps."""
    names = [name for chosen in (MAIN[:2], BY_FAMILY) for metrics, _ in chosen for name in metrics]
    rest = ["generalization_gap", "response_length", "truncated", "guess_share"]
    return training_table(run, (*names, *rest), caption="Calculated from the policy, as a table")


def step_table(run: ReasoningSimulation) -> Table:
    """What is measured in every step."""
    names = [name for chosen in (MAIN[2:], MORE) for metrics, _ in chosen for name in metrics]
    exact = ("response_length", "truncated", "guess_share", "generalization_gap")
    return training_table(
        run, [name for name in names if name not in exact], caption="Measured in each step, as a table"
    )


def pass_at_k(run: ReasoningSimulation) -> CurveFigure:
    """The chance that one of k responses to a held-out prompt is right, before and after training."""
    assert run.evaluations is not None
    lines = {}
    for e, when in ((-1, "trained"), (0, "reference")):
        lines[when] = [float(run.evaluations[f"held_out_pass_at_{k}"][0, e]) for k in TRIES]
    return plain_curve(
        ident="pass-at-k",
        title="Pass@k on held-out prompts",
        x=TRIES,
        lines=lines,
        x_label="k responses",
        is_log=True,
    )
