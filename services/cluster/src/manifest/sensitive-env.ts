/** Whether the value of a variable is kept in a Secret: patterns have `*` for anything, and upper and lower case are the same. */
export const isSensitive = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => isMatch(name.toLowerCase(), pattern.toLowerCase()));

/** In one pass: names are as long as tenants like. */
function isMatch(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
