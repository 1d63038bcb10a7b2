// Bytes, times and counts as the terminal prints them: the same digits from the same numbers.

/** A number with so many decimals; halves go to the even digit. */
function rounded(value, digits) {
  const scaled = value * 10 ** digits;
  const floor = Math.floor(scaled);
  if (scaled - floor !== 0.5) return value.toFixed(digits);
  return ((floor % 2 === 0 ? floor : floor + 1) / 10 ** digits).toFixed(digits);
}

/** A size, in binary units: `7.6 MiB`, `812 KiB`, `-1.2 GiB`. */
function size(bytes) {
  if (bytes === null || bytes === undefined) return "not known";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1023.5 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  const sign = bytes < 0 && value >= 0.05 ? "-" : "";
  return `${sign}${rounded(value, unit > 0 && value < 99.95 ? 1 : 0)} ${units[unit]}`;
}

/** Several of a thing, in English: `epochs`, `batches`, `queries`. */
function plural(noun) {
  if (noun.endsWith("epoch")) return `${noun}s`;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** A size that was added: with its sign. */
function added(bytes) {
  return bytes < 0 ? size(bytes) : `+${size(bytes)}`;
}

/** A stretch of time: `0.4 s`, `41 s`, `3 min 41 s`, `3 h 50 min`, `12 days`. */
function duration(seconds) {
  if (seconds < 9.95) return `${rounded(Math.max(0, seconds), 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole - minutes * 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes - hours * 60} min`;
  const days = Math.floor(hours / 24);
  return days < 1000 ? `${days} days` : `${Math.round(days / 365)} years`;
}

/** A share: `97 %`. */
function percent(share) {
  const hundred = 100 * share;
  return `${rounded(hundred, hundred > 0 && hundred < 9.95 ? 1 : 0)} %`;
}

/** A count, as the terminal prints it. */
function number(count) {
  return String(count);
}
