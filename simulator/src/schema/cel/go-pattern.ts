const patterns = new Map<string, RegExp | undefined>(); // source -> compiled

/** A pattern of Go as JavaScript writes it; undefined when it cannot be. */
export function goPattern(pattern: string): RegExp | undefined {
  if (patterns.has(pattern)) return patterns.get(pattern);
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const source = (flags === null ? pattern : pattern.slice(flags[0].length))
    .replaceAll(String.raw`\z`, '$')
    .replaceAll(String.raw`\A`, '^');
  const compiled = tryCompile(source, `u${flags?.[1] ?? ''}`) ?? tryCompile(source, flags?.[1] ?? '');
  patterns.set(pattern, compiled);
  return compiled;
}

function tryCompile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
