/** The end of a log, as much of it as a page can bear. */
export interface LogText {
  readonly text: string;
  /** Lines that were there and are not shown any more. */
  readonly dropped: number;
}

export const emptyLog: LogText = { text: '', dropped: 0 };

/** Lines and characters that are kept at most. */
const mostLines = 5_000;
const mostLength = 1_000_000;

/** With what came next. The oldest lines go when there are too many. */
export function withText({ text, dropped }: LogText, more: string): LogText {
  const whole = text + more;
  const tooLong = whole.length > mostLength ? whole.indexOf('\n', whole.length - mostLength) + 1 : 0;
  const lines = whole.slice(tooLong).split('\n');
  const surplus = Math.max(0, lines.length - mostLines);
  const gone = tooLong === 0 ? 0 : whole.slice(0, tooLong).split('\n').length - 1;
  return { text: lines.slice(surplus).join('\n'), dropped: dropped + gone + surplus };
}
