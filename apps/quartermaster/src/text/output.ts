/** Where a command writes. Standard output is for results, standard error for progress and problems. */
export interface Output {
  readonly out: TextStream;
  readonly err: TextStream;
}

export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** What our own displays tell a terminal: colours, and where to draw on a screen of their own. */
// oxlint-disable-next-line no-control-regex -- orders to a terminal begin with a control character
const ours = /^\u001B\[(?:\d*m|\?1049[hl]|\?7[hl]|\?25[hl]|[HKJ])$/;
// oxlint-disable-next-line no-control-regex -- orders to a terminal are control characters
const orders = /\u001B\[[0-?]*[ -/]*[@-~]|(?<!^)\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Texts of others are shown among ours, and a terminal does what it reads: it would set titles, fill the clipboard, show names backwards, or write over
 * what a line says. Our own progress returns to the begin of its line with what it writes first, and only there. Files and pipes get what there is.
 */
export function guarded(stream: TextStream): TextStream {
  return {
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns ?? 80;
    },
    get rows() {
      return stream.rows ?? 24;
    },
    write: (text) => stream.write(stream.isTTY === true ? text.replaceAll(orders, (found) => (ours.test(found) ? found : '')) : text),
  };
}

export const processOutput: Output = { out: guarded(process.stdout), err: guarded(process.stderr) };
