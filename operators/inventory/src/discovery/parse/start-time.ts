/** When the machine started, in milliseconds since the epoch, by /proc/stat. */
export function parseStartTime(stat: string): number | undefined {
  const seconds = /^btime (\d{1,11})$/m.exec(stat)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
