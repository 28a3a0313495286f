import { parseRecording, type RecordedLine, type RecordedLineInput } from '../src/market/recording.ts';

/** A recording, as its file would have it. */
export const recordingOf = (lines: readonly RecordedLineInput[]): readonly RecordedLine[] =>
  parseRecording(lines.map((line) => JSON.stringify(line)).join('\n'));
