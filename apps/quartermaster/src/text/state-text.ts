import type { State, Tone } from '@quartermaster/api/states';
import type { Paint } from './paint.ts';

// fill of a state -> how a terminal shows it; the others are plain
const paints: Readonly<Partial<Record<Tone, keyof Paint>>> = {
  good: 'good',
  allocated: 'good',
  reserved: 'warn',
  held: 'warn',
  unknown: 'warn',
  failed: 'bad',
};

/** The word of a state, in its colour. */
export function stateText({ word, tone }: State, paint: Paint): string {
  const colour = paints[tone];
  return colour === undefined ? word : paint[colour](word);
}
