"""The world: its prompts, its states, its reference policy, and what tokens say."""

import numpy as np
import pytest

from simulator.engine.reasoning.problems import CARRIES, CHAINS, SUMS, WORDS, make_problems
from simulator.engine.reasoning.reference import family_probabilities, log_probabilities
from simulator.engine.reasoning.transitions import (
    ANSWERED_MISREAD,
    ANSWERED_RIGHT,
    ANSWERED_WRONG,
    GUESSED_RIGHT,
    GUESSED_WRONG,
    lost,
    ok,
    silent,
)
from simulator.engine.reasoning.vocabulary import (
    ANSWER,
    ANSWERED,
    CARRY,
    CHECK,
    EOS,
    FIRST_GUESS,
    HMM,
    LOST,
    PLAIN,
    READ,
    READY,
    SLIP,
    STEP_A,
    STEP_B,
    TOKENS,
    WAIT,
)
from simulator.engine.reasoning.world import (
    DONE_BAD,
    DONE_OK,
    START,
    STATES,
    load_problems,
    load_world,
    prompt_text,
    token_texts,
)

WORLD = load_world(32, 0)
SIZES = (8, 12, 32, 64)
# Of every token, so that a random response makes errors, notices them, guesses and ends.
PROBABILITIES = np.array([0.25, 0.2, 0.1, 0.03, 0.02, 0.1, 0.12, 0.02, 0.02, 0.02, 0.02, 0.1])


def test_the_prompts_of_world_0():
    texts = [prompt_text(WORLD, row) for row in range(64)]
    assert texts[:4] == ["22+2 = ?", "31+8+7+9 = ?", "22+5+1+4+6 = ?", "11 apples, 4 fewer, then +2"]
    assert texts[30] == "22+4+7+1+1 = ?"


def test_families_have_their_steps():
    kinds = {
        (problem.family, rank % 2): problem.kinds
        for split in (load_problems(32, 0)[:32], load_problems(32, 0)[32:])
        for rank, problem in ((i // 4, problem) for i, problem in enumerate(split))
    }
    assert kinds == {
        (SUMS, 0): (PLAIN,),
        (SUMS, 1): (PLAIN, PLAIN),
        (CARRIES, 0): (PLAIN, CARRY, CARRY),
        (CARRIES, 1): (CARRY, PLAIN, CARRY),
        (CHAINS, 0): (PLAIN, PLAIN, CARRY, PLAIN),
        (CHAINS, 1): (PLAIN, CARRY, PLAIN, PLAIN),
        (WORDS, 0): (READ, PLAIN),
        (WORDS, 1): (READ, PLAIN),
    }


def test_train_prompts_are_nested_and_the_held_out_ones_stay():
    ids = {size: load_world(size, 0).prompt_id.tolist() for size in SIZES}
    assert ids[8] == [*range(8), *range(32, 64)]
    assert ids[64] == [*range(32), *range(64, 96), *range(32, 64)]
    for size in SIZES:
        world = load_world(size, 0)
        assert world.train_prompts == size
        # A prompt is the same wherever it appears.
        assert (world.reference_logits[:8] == WORLD.reference_logits[:8]).all()
        assert (world.reference_logits[size:] == WORLD.reference_logits[32:]).all()
        assert (world.right_guess[size:] == WORLD.right_guess[32:]).all()
        assert (world.next_state[size:] == WORLD.next_state[32:]).all()
        assert set(load_problems(size, 0)) <= set(load_problems(64, 0))


@pytest.mark.parametrize(("size", "fewer"), [(8, [3]), (12, [3]), (32, [3, 15]), (64, [3, 15, 67, 79])])
def test_which_stories_mean_fewer(size, fewer):
    problems = load_problems(size, 0)
    assert [problem.prompt_id for problem in problems[:size] if problem.is_fewer] == fewer
    assert [problem.prompt_id for problem in problems[size:] if problem.is_fewer] == [35, 47]


@pytest.mark.parametrize("world_seed", range(20))
def test_carry_steps_carry_and_plain_steps_do_not(world_seed):
    for problem in make_problems(64, world_seed):
        readings = (1, -1) if problem.family == WORDS else (1,)
        for reading in readings:
            total = problem.start
            for kind, operand in zip(problem.kinds, problem.operands, strict=True):
                assert 1 <= operand <= 9
                if kind == READ:
                    total += reading * operand
                else:
                    assert (total % 10 + operand > 9) == (kind == CARRY), problem
                    total += operand


def follow(row, tokens, world=WORLD):
    state = START
    for token in tokens:
        state = int(world.next_state[row, state, token])
    return state


@pytest.mark.parametrize(
    ("row", "tokens", "state"),
    [
        # 22+2, plain.
        (0, [STEP_A], ok(1)),
        (0, [STEP_B], lost(0)),
        (0, [SLIP], lost(0)),
        (0, [WAIT, HMM, CHECK], START),
        (0, [ANSWER], ANSWERED_WRONG),
        (0, [EOS], DONE_BAD),
        (0, [STEP_A, ANSWER], ANSWERED_RIGHT),
        (0, [STEP_A, ANSWER, STEP_A, CHECK, FIRST_GUESS], ANSWERED_RIGHT),
        (0, [STEP_A, ANSWER, EOS], DONE_OK),
        (0, [STEP_A, ANSWER, EOS, EOS], DONE_OK),
        (0, [STEP_A, STEP_A], lost(1)),
        (0, [STEP_A, STEP_B, CHECK, ANSWER, EOS], DONE_OK),
        (0, [STEP_A, FIRST_GUESS + 3, EOS], DONE_OK),
        (0, [FIRST_GUESS + 3], GUESSED_RIGHT),
        (0, [SLIP, FIRST_GUESS + 3], GUESSED_RIGHT),
        (0, [FIRST_GUESS], GUESSED_WRONG),
        (0, [FIRST_GUESS, EOS], DONE_BAD),
        (0, [FIRST_GUESS, ANSWER, FIRST_GUESS + 3], GUESSED_WRONG),
        # 31+8+7+9, plain, carry, carry.
        (1, [STEP_A, STEP_A], lost(1)),
        (1, [STEP_A, STEP_A, STEP_B, WAIT, STEP_A], lost(1)),
        (1, [STEP_A, STEP_A, ANSWER], ANSWERED_WRONG),
        (1, [STEP_A, STEP_A, CHECK, STEP_B, STEP_B, ANSWER, EOS], DONE_OK),
        (1, [STEP_A, STEP_B, ANSWER, EOS], DONE_BAD),
        # 11 apples, 4 fewer, then +2: here stepB reads rightly.
        (3, [STEP_B, STEP_A, ANSWER, EOS], DONE_OK),
        (3, [STEP_A], silent(1)),
        (3, [STEP_A, CHECK, WAIT], silent(1)),
        (3, [STEP_A, STEP_A], silent(2)),
        (3, [STEP_A, STEP_A, ANSWER], ANSWERED_MISREAD),
        (3, [STEP_A, STEP_A, ANSWER, EOS], DONE_BAD),
        (3, [STEP_A, ANSWER], ANSWERED_WRONG),
        (3, [STEP_A, STEP_B], lost(0)),
        (3, [STEP_A, STEP_A, STEP_A], lost(0)),
        (3, [STEP_A, SLIP, CHECK, STEP_B, STEP_A, ANSWER, EOS], DONE_OK),
        (3, [STEP_A, FIRST_GUESS + 3], GUESSED_RIGHT),
        (3, [SLIP], lost(0)),
        # The next story is about more.
        (7, [STEP_A, STEP_A, ANSWER, EOS], DONE_OK),
        (7, [STEP_B, STEP_A, ANSWER, EOS], DONE_BAD),
    ],
)
def test_tokens_lead_where_the_rules_say(row, tokens, state):
    assert follow(row, tokens) == state


def test_states_show_what_can_be_seen_and_nothing_else():
    contexts = WORLD.context_of[1]
    assert contexts[[ok(0), ok(1), ok(2), ok(3), lost(0), lost(3)]].tolist() == [PLAIN, CARRY, CARRY, READY, LOST, LOST]
    assert contexts[ANSWERED_RIGHT:DONE_OK].tolist() == [ANSWERED] * 5
    features = WORLD.critic_feature_of[1]
    assert features[[ok(0), ok(1), ok(2), ok(3), lost(2)]].tolist() == [3, 2, 1, 0, 5]
    assert features[ANSWERED_RIGHT:DONE_OK].tolist() == [6, 6, 7, 8, 8]
    assert WORLD.n_features == 9
    # A misreading can't be seen, by policy or critic.
    for table in (WORLD.context_of, WORLD.critic_feature_of):
        for step in (1, 2):
            assert (table[3::4, silent(step)] == table[3::4, ok(step)]).all()
        assert (table[:, ANSWERED_MISREAD] == table[:, ANSWERED_RIGHT]).all()
    assert WORLD.context_of[3, START] == READ


def test_tables_are_complete_and_read_only():
    assert WORLD.next_state.shape == (64, STATES, TOKENS)
    assert ((WORLD.next_state >= 0) & (WORLD.next_state < STATES)).all()
    for name, values in WORLD._asdict().items():
        if isinstance(values, np.ndarray):
            assert not values.flags.writeable, name
    assert load_world(32, 0) is WORLD


def test_the_reference_policy():
    probabilities = family_probabilities()
    assert probabilities.sum(axis=-1) == pytest.approx(1)
    weights = np.array([0.560, 0.100, 0.080, 0.070, 0.050, 0.010, 0.040, *[0.005] * 4, 0.025])
    assert probabilities[CARRIES, CARRY] == pytest.approx(weights / weights.sum())
    assert (probabilities[:, LOST] == probabilities[0, LOST]).all()
    offsets = (WORLD.reference_logits - np.log(probabilities)[WORLD.family]) / 0.4
    assert abs(offsets.mean()) < 0.05
    assert abs(offsets.std() - 1) < 0.05
    assert len(np.unique(offsets)) == offsets.size
    assert np.exp(WORLD.reference_log_probs).sum(axis=-1) == pytest.approx(1)
    assert (log_probabilities(WORLD.reference_logits) == WORLD.reference_log_probs).all()
    other = load_world(32, 1)
    assert not (other.reference_logits == WORLD.reference_logits).any()


@pytest.mark.parametrize(
    ("row", "tokens", "texts"),
    [
        (
            1,
            [STEP_A, STEP_A, HMM, CHECK, STEP_B, STEP_B, ANSWER, EOS],
            ["31+8=39", "39+7=36", "hmm", "check", "39+7=46 carry", "46+9=55 carry", "answer 55", "<eos>"],
        ),
        (
            30,
            [STEP_A, STEP_A, STEP_A, WAIT, WAIT, WAIT, ANSWER, EOS],
            ["22+4=26", "26+7=23", "23+1=24", "wait", "wait", "wait", "answer 24", "<eos>"],
        ),
        (1, [STEP_B, CHECK, SLIP, ANSWER], ["31+8=49 carry", "check", "31+8=40", "answer 40"]),
        (3, [STEP_A, STEP_A, ANSWER], ["11+4=15", "15+2=17", "answer 17"]),
        (3, [SLIP, CHECK, STEP_B, STEP_A, STEP_B], ["11-4=8", "check", "11-4=7", "7+2=9", "9+2=11 carry"]),
        (0, [*range(FIRST_GUESS, EOS)], ["it's 25", "it's 23", "it's 34", "it's 24"]),
    ],
)
def test_texts(row, tokens, texts):
    assert token_texts(WORLD, row, tokens) == texts


@pytest.mark.parametrize("world_seed", range(3))
def test_what_is_said_last_is_the_right_number_exactly_in_right_responses(world_seed):
    world = load_world(32, world_seed)
    generator = np.random.default_rng(world_seed)
    ended = set()
    for row, problem in enumerate(load_problems(32, world_seed)):
        for drawn in generator.choice(TOKENS, p=PROBABILITIES, size=(50, 300)).tolist():
            tokens, state = [], START
            while state < DONE_OK:
                tokens.append(drawn.pop())
                state = int(world.next_state[row, state, tokens[-1]])
            texts = token_texts(world, row, tokens)
            said = [text.split()[1] for text in texts if text.startswith(("answer", "it's"))]
            assert (said[:1] == [str(problem.right_answer)]) == (state == DONE_OK), (problem, texts)
            ended.add(state)
    assert ended == {DONE_OK, DONE_BAD}
