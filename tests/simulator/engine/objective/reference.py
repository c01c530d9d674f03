"""The objective once more, from the formulas in the papers, as plain loops over plain numbers.

Slow and independent: it shares no code with the engine. Log-probabilities may be complex, for derivatives by a complex
step; comparisons then go by the real part.
"""

import cmath
import statistics


def advantages_of(method, rewards, group_size, baseline, values, gamma, lam, lengths):
    """One list per response, of the advantage of each token."""
    found = []
    for i, reward in enumerate(rewards):
        first = i - i % group_size
        group = rewards[first : first + group_size]
        if method == "gae":
            found.append(gae(reward, values[i], gamma, lam))
            continue
        if method == "none":
            one = reward
        elif method == "ema_baseline":
            one = reward - baseline
        elif len(set(group)) == 1:
            one = 0.0
        elif method == "group_normalized":
            one = (reward - statistics.fmean(group)) / (statistics.stdev(group) + 1e-6)
        elif method == "group_mean":
            one = reward - statistics.fmean(group)
        else:
            others = group[: i - first] + group[i - first + 1 :]
            one = reward - statistics.fmean(others)
        found.append([one] * lengths[i])
    return found


def gae(reward, values, gamma, lam):
    count = len(values)
    paid = [0.0] * (count - 1) + [reward]
    after = [*values[1:], 0.0]
    errors = [paid[t] + gamma * after[t] - values[t] for t in range(count)]
    return [sum((gamma * lam) ** (k - t) * errors[k] for k in range(t, count)) for t in range(count)]


def overlong_reward(kind, length, truncated, limit, cache):
    if kind != "soft":
        return 0.0
    if truncated:
        return -1.0
    return 0.0 if length <= limit - cache else (limit - cache - length) / cache


def objective(case):
    """J for a case of :class:`tests.simulator.engine.objective.batch.Case`."""
    return sum(share(case, i, row).real for i, row in enumerate(case.log_probs))


def share(case, i, log_probs):
    """What response ``i`` adds to J when its tokens have these log-probabilities."""
    masked = [case.overlong == "filter" and cut for cut in case.truncated]
    counted = sum(len(row) for row, out in zip(case.log_probs, masked, strict=True) if not out)
    total = 0j
    if masked[i]:
        return total
    changes = [now - old for now, old in zip(log_probs, case.old_log_probs[i], strict=True)]
    for t, log_prob in enumerate(log_probs):
        change = sum(changes) / len(log_probs) if case.ratio == "sequence" else changes[t]
        term = surrogate(case, cmath.exp(change), log_prob, case.advantages[i][t])
        term -= case.beta * kl(case.kl, log_prob - case.ref_log_probs[i][t])
        if case.aggregation == "per_response":
            term /= len(case.log_probs) * len(log_probs)
        elif case.aggregation == "per_token":
            term /= counted
        else:
            term /= len(case.log_probs) * case.limit
        total += term
    return total


def surrogate(case, ratio, log_prob, advantage):
    if case.ratio == "none":
        return advantage * log_prob
    if case.clip == "none":
        return ratio * advantage
    if case.clip == "cispo":
        # The weight is a constant to the gradient.
        return min(ratio.real, 1 + case.epsilon_high) * advantage * log_prob
    upper = 1 + (case.epsilon_high if case.clip == "higher" else case.epsilon)
    lower = 1 - case.epsilon
    clipped = lower if ratio.real < lower else upper if ratio.real > upper else ratio
    branches = (ratio * advantage, clipped * advantage)
    return min(branches, key=lambda branch: complex(branch).real)


def kl(kind, difference):
    if kind == "k1":
        return difference
    if kind == "k2":
        return difference * difference / 2
    if kind == "k3":
        return cmath.exp(-difference) - 1 + difference
    return 0.0
