/** Where a command writes. Standard output is for results, standard error for progress and problems. */
export interface Output {
  readonly out: TextStream;
  readonly err: TextStream;
}

export interface TextStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export const processOutput: Output = { out: process.stdout, err: process.stderr };
