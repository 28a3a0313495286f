/** The memory that the kernel manages, in bytes, as /proc/meminfo says; undefined when it does not. */
export function parseMemInfo(text: string): number | undefined {
  const kibibytes = Number(/^MemTotal:\s+(\d{1,15})\s+kB\s*$/m.exec(text)?.[1] ?? Number.NaN);
  const bytes = kibibytes * 1024;
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}
