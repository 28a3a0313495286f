import colours from 'yoctocolors';
import type { TextStream } from './output.ts';

/** Colours on a terminal, plain text elsewhere. */
export interface Paint {
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  dim(text: string): string;
}

const same = (text: string): string => text;

export const plainPaint: Paint = { good: same, warn: same, bad: same, dim: same };

export function paintFor(stream: Pick<TextStream, 'isTTY'>): Paint {
  if (stream.isTTY !== true) return plainPaint;
  return { good: colours.green, warn: colours.yellow, bad: colours.red, dim: colours.dim };
}

const palette = [colours.cyan, colours.magenta, colours.yellow, colours.green, colours.blue, colours.red];

/** A colour that tells the thing of this number from its neighbours, for terminals. */
export const colourOf = (number: number): ((text: string) => string) => palette[number % palette.length] ?? same;
