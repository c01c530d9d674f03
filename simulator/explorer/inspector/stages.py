"""The six stages of an update in the token world: what each does in this step, and a question on what comes next."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from simulator.charts.table import fixed, signed
from simulator.engine.optimise import clip_factor
from simulator.explorer.beats import Question, Stage
from simulator.explorer.exploration import Exploration
from simulator.explorer.inspector.setting import Setting, setting_of
from simulator.explorer.inspector.sheet import Sheet
from simulator.explorer.inspector.weights import fraction
from simulator.explorer.inspector.words import clip_sentence, counted, names, number_or, push_words, spread
from simulator.records import Update

CALCULATION = re.compile(r"(\d+)([+-])(\d+)=(-?\d+)", re.ASCII)
STATES_AN_ANSWER = re.compile(r"(answer|it's) -?\d+$", re.ASCII)
"""What tokens of calculations, and of answers, say."""

WAYS = ("up", "down", "not at all")
LIKELY = ("as likely: ratio 1", "less likely: ratio below 1", "more likely: ratio above 1")


def stages(x: Exploration) -> Sequence[Stage]:
    """The stages of the shown update at the shown prompt."""
    sheet, setting, p = Sheet(x.update), setting_of(x), (x.state.p or 1) - 1
    size = len(sheet.prompts[p].responses) if sheet.prompts else 0
    if not size:
        return (Stage("This update has no responses."),) * 6
    return (
        _prompt(sheet, p),
        _responses(sheet, p),
        _rewards(sheet, setting, p),
        _credit(sheet, setting, p),
        _adding_up(x, sheet, setting),
        _update(x, sheet, setting, p),
    )


def _prompt(sheet: Sheet, p: int) -> Stage:
    count, size = len(sheet.prompts), len(sheet.prompts[p].responses)
    total = sum(len(prompt.responses) for prompt in sheet.prompts)
    drawn = f"{counted(count, 'prompt is', 'prompts are')} drawn; this is number {p + 1}: {sheet.prompts[p].text}"
    options = sorted({total, count, size, count + size, 2 * total})[:4]
    question = None
    if total in options and len(options) > 1:
        question = Question(
            f"Each prompt is answered {size} times. How many responses does this update look at?",
            tuple(map(str, options)),
            options.index(total),
            f"{count} × {size} = {total}: every one of them is paid for, whatever it teaches.",
        )
    return Stage(drawn, question)


def _responses(sheet: Sheet, p: int) -> Stage:
    responses = sheet.prompts[p].responses
    size, lengths = len(responses), [response.length for response in responses]
    spans = f"{min(lengths)} to {max(lengths)}" if min(lengths) < max(lengths) else f"{min(lengths)}"
    cut = [i for i, response in enumerate(responses) if response.truncated]
    sentence = f"The policy writes {counted(size, 'response')} of {spans} tokens."
    if cut:
        sentence += f" {names(cut)} reached the limit and {'was' if len(cut) == 1 else 'were'} cut off."
    if any(response.correct is None for response in responses):
        return Stage(sentence)
    right = [i for i, response in enumerate(responses) if response.correct]
    options = sorted({0, size, len(right), size - len(right)} | ({size // 2} if size > 1 else set()))
    listed = f"{names(right) if len(right) <= 4 else f'{len(right)} of {size}'} {'is' if len(right) == 1 else 'are'}"
    because = "All of them end in the right answer." if len(right) == size else f"{listed} right."
    if not right:
        because = "None of them ends in the right answer."
    wrong = [i for i, response in enumerate(responses) if not response.correct]
    if wrong:
        because += f" {names(wrong)} {'is' if len(wrong) == 1 else 'are'} wrong." * bool(right)
        because += f" {_what_is_wrong(sheet, p, right, wrong)}"
    question = Question("How many of them are right?", tuple(map(str, options)), options.index(len(right)), because)
    return Stage(sentence, question)


def _what_is_wrong(sheet: Sheet, p: int, right: Sequence[int], wrong: Sequence[int]) -> str:
    """Of one wrong response, why it is: a calculation in it that is off, or else what it ends with."""
    responses = sheet.prompts[p].responses
    for i in wrong:
        for text in responses[i].strings:
            found = CALCULATION.match(text)
            if found is None:
                continue
            one, sign, two, result = int(found[1]), found[2], int(found[3]), int(found[4])
            correct = one + two if sign == "+" else one - two
            if correct != result:
                return f"R{i + 1}, for example, says {found[0]}, and it is {correct}."
    i = wrong[0]
    stated = _stated(responses[i].strings)
    if not stated:
        return f"R{i + 1}, for example, states no answer."
    better = next((said for k in right if (said := _stated(responses[k].strings))), "")
    return f"R{i + 1}, for example, says “{stated}”{f', where R{right[0] + 1} says “{better}”' if better else ''}."


def _stated(strings: Sequence[str]) -> str:
    """The last token that states an answer, or ""."""
    return next((text for text in reversed(strings) if STATES_AN_ANSWER.match(text)), "")


def _rewards(sheet: Sheet, setting: Setting, p: int) -> Stage:
    rewards = sheet.rewards[p]
    known = rewards[np.isfinite(rewards)]
    if not known.size:
        return Stage("Rewards are not logged.")
    low, high, wide = number_or(float(known.min())), number_or(float(known.max())), spread(rewards)
    if low == high:
        sentence = f"Each response is paid the same: {low}."
    else:
        sentence = f"Each response is paid: rewards from {low} to {high}, mean {number_or(float(known.mean()))}, "
        sentence += f"spread {number_or(wide)}."
    if not sheet.has("push"):
        return Stage(sentence)
    pushed = np.nan_to_num(sheet.pushed[p])
    i = int(np.argmax(np.abs(pushed)))
    right = 2 if pushed[i] == 0 else int(pushed[i] < 0)
    because = (
        f"R{i + 1}’s {'mean ' if setting.has_critic else ''}advantage is {_advantage(sheet, p, i)}, and its pushes "
    )
    because += f"add up to {push_words(float(pushed[i]))} thousandths."
    if sheet.prompts[p].filler:
        because += " Dynamic sampling only keeps this group to fill the batch."
    elif not sheet.has_signal(p):
        because += " All rewards of the group are equal."
    question = Question(f"Which way does this update push the tokens of R{i + 1}, all together?", WAYS, right, because)
    return Stage(sentence, question)


def _advantage(sheet: Sheet, p: int, i: int) -> str:
    return number_or(float(sheet.advantages[p, i]), 2, plus=True)


def _credit(sheet: Sheet, setting: Setting, p: int) -> Stage:
    if not sheet.has("push"):
        return Stage("What each token gets is not logged.")
    pushes = sheet.numbers("push")[p]
    up, down = (int((np.sign(np.nan_to_num(pushes)) == sign).sum()) for sign in (1, -1))
    still = int(sheet.lengths[p].sum()) - up - down
    sentence = f"Each token gets its share: {up} pushed up, {down} down, {still} not at all. "
    return Stage(sentence + clip_sentence(sheet, setting, p), _which_counts_more(sheet, p))


def _which_counts_more(sheet: Sheet, p: int) -> Question | None:
    """On the longest and the shortest response of a group; None where only one of them counts."""
    counted_ones = [i for i, response in enumerate(sheet.prompts[p].responses) if not response.masked]
    if len(counted_ones) < 2 or not sheet.has("weight"):
        return None
    lengths = sheet.lengths[p]
    longest = max(counted_ones, key=lambda i: lengths[i])
    shortest = min((i for i in counted_ones if i != longest), key=lambda i: lengths[i])
    pair = sorted((longest, shortest))
    shares, words = [], []
    for i in pair:
        weight, length = float(sheet.numbers("weight")[p, i, 0]), int(lengths[i])
        shares.append(weight * length)
        words.append(f"R{i + 1} {length} × {fraction(weight)} = {fixed(weight * length, 5)}")
    is_same = abs(shares[0] - shares[1]) <= 1e-9 * max(shares)
    right = 2 if is_same else int(shares[1] > shares[0])
    tokens = " and ".join(f"R{i + 1} has {counted(int(lengths[i]), 'token')}" for i in pair)
    return Question(
        f"{tokens}. Which of the two weighs more when all is added up?",
        (f"R{pair[0] + 1}", f"R{pair[1] + 1}", "both the same"),
        right,
        f"Tokens times the weight of one: {words[0]}; {words[1]}.",
    )


def _adding_up(x: Exploration, sheet: Sheet, setting: Setting) -> Stage:
    objective = sheet.update.metrics.get("policy_objective", float("nan"))
    tokens = counted(int(sheet.lengths.sum()), "token")
    sentence = (
        f"Every term is multiplied with its weight, and all {tokens} are added up: J = {number_or(objective, 4)}."
    )
    norm = sheet.update.metrics.get("grad_norm", float("nan"))
    limit = setting.setup.max_grad_norm if setting.setup is not None else 0.0
    if not (np.isfinite(norm) and norm > 0 and limit > 0):
        return Stage(sentence)
    share = 100 * limit / norm if norm > limit else 100 * norm / limit
    part = next(text for digits in range(9) if (text := fixed(share, digits)) not in ("100", "0") or digits == 8)
    factor = clip_factor(norm, limit)
    because = f"The gradient is multiplied with {fixed(factor, 4)}: "
    because += "it is longer than the limit." if factor < 1 else "it is within the limit."
    question = Question(
        f"The gradient of J has the length {_short(norm)}, and the limit is {_short(limit)}. How much of it is used?",
        ("all of it", f"{part} %", "nothing"),
        int(factor < 1),
        because,
    )
    return Stage(sentence, question)


def _short(value: float) -> str:
    return f"{value:.3g}"


def _update(x: Exploration, sheet: Sheet, setting: Setting, p: int) -> Stage:
    metrics = sheet.update.metrics
    rate = metrics.get("lr", float("nan"))
    optimizer = "" if setting.setup is None else {"adam": " of Adam", "sgd": " of SGD"}[setting.setup.optimizer]
    sentence = f"The optimizer makes one step{optimizer} along the gradient"
    sentence += f", with learning rate {_short(rate)}." if np.isfinite(rate) else "."
    later = _later(x, sheet, p)
    if later is not None:
        question = _what_became(sheet, Sheet(later[0]), p, later[1])
        return Stage(sentence, question)
    if x.state.s is None or x.state.s >= x.steps:
        return Stage(f"{sentence} It was the last one of this run.")
    following = Sheet(x.record.update(int(x.source.steps[x.state.s])))
    return Stage(f"{sentence} These responses are now used up.", _what_follows(following))


def _later(x: Exploration, sheet: Sheet, p: int) -> tuple[Update, int] | None:
    """The next update on the same responses of a prompt, and the prompt's place in it, from 0."""
    assert x.state.s is not None
    responses = sheet.prompts[p].responses
    for place in range(x.state.s + 1, x.steps + 1):
        if x.source.rollouts[place - 1] != x.rollout:
            return None
        update = x.record.update(int(x.source.steps[place - 1]))
        for q, prompt in enumerate(update.prompts):
            if prompt.responses and prompt.responses[0].id == responses[0].id:
                return update, q
    return None


def _what_became(sheet: Sheet, later: Sheet, p: int, q: int) -> Question | None:
    """On the token that is pushed hardest: its probability the next time the response is used."""
    pushes = np.nan_to_num(sheet.numbers("push")[p])
    i, t = (int(k) for k in np.unravel_index(np.abs(pushes).argmax(), pushes.shape))
    before, after = (float(np.exp(one.numbers("log_probs")[at, i, t])) for one, at in ((sheet, p), (later, q)))
    if not (np.isfinite(before) and np.isfinite(after)):
        return None
    push = float(pushes[i, t])
    right = 2 if abs(after - before) <= 1e-12 else int(after < before)
    because = f"From {fixed(before, 5)} to {fixed(after, 5)}."
    if push and after != before and (after > before) != (push > 0):
        because += " Against its push: tokens share parameters, and the pushes on others were stronger."
    elif not push and after != before:
        because += " Without a push of its own: tokens share parameters."
    how = f"is pushed by {push_words(push)} thousandths" if push else "is not pushed"
    return Question(
        f"{sheet.text(p, i, t)} in R{i + 1} {how}. What has become of its probability when the response is used next?",
        ("it rose", "it fell", "it stayed"),
        right,
        because,
    )


def _what_follows(following: Sheet) -> Question | None:
    """On the ratio at the first update of new responses."""
    ratios = following.numbers("ratio")
    known = ratios[np.isfinite(ratios)]
    if not known.size:
        return None
    mean = float(known.mean())
    right = 0 if float(np.abs(known - 1).max()) < 1e-9 else 1 if mean < 1 else 2
    because = (
        f"The largest distance of a ratio from 1 is {signed(float(np.abs(known - 1).max()), 3)} in the next update: "
    )
    because += "the policy that is trained is still the one that sampled." if right == 0 else "the policy has moved."
    return Question(
        "New responses are sampled next. How likely is each of their tokens in the first update on them, compared with "
        "when it was sampled?",
        LIKELY,
        right,
        because,
    )
