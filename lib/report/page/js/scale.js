// SPDX-License-Identifier: Apache-2.0
// Axes and numbers.
/// Three digits, as the tables have them.
function threeDigits(value) {
  if (value >= 999.5) return String(Number(value.toPrecision(3)));
  return value.toPrecision(3);
}

function timeText(us) {
  const [factor, unit] = us < 999.5 ? [1, "µs"] : us < 999500 ? [1e3, "ms"] : [1e6, "s"];
  return `${threeDigits(us / factor)} ${unit}`;
}

function intervalText(us, low, high) {
  if (low === null || high === null) return timeText(us);
  return `${timeText(us)} (95 %: ${timeText(low)} to ${timeText(high)})`;
}

/// For ticks: 20 µs, 1 ms, 4k, 1M.
function shortTime(us) {
  const [factor, unit] = us < 1e3 ? [1, "µs"] : us < 1e6 ? [1e3, "ms"] : [1e6, "s"];
  return `${Number((us / factor).toPrecision(3))} ${unit}`;
}
function shortCount(count) {
  const [factor, unit] = count < 1e3 ? [1, ""] : count < 1e6 ? [1e3, "k"] : [1e6, "M"];
  return `${Number((count / factor).toPrecision(3))}${unit}`;
}

/// From values to places, by powers; a single value stands in the middle of something.
function logScale(values, from, to) {
  let low = Math.min(...values), high = Math.max(...values);
  const room = high / low < 2 ? 1.5 : (high / low) ** 0.05;
  low /= room;
  high *= room;
  const place = (value) => from + (to - from) * Math.log(value / low) / Math.log(high / low);
  const decades = Math.log10(high / low);
  const digits = decades > 3.5 ? [1]
    : decades > 1.6 ? [1, 3]
      : decades > 0.8 ? [1, 2, 5]
        : [1, 1.5, 2, 3, 4, 5, 6, 8];
  const step = Math.max(1, Math.ceil(decades / 6));
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
    for (const digit of digits) {
      const value = digit * 10 ** power;
      if (power % step === 0 && value >= low && value <= high) ticks.push(value);
    }
  return { place, ticks };
}

/// From 0 on, with a tick every so many pixels.
function linearScale(highest, from, to) {
  const raw = highest * 90 / (to - from), power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((digit) => raw <= digit * power);
  const ticks = [];
  for (let value = 0; value <= highest; value += step) ticks.push(value);
  return { place: (value) => from + (to - from) * value / highest, ticks };
}
