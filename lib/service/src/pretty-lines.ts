import { styleText } from 'node:util';

export interface LineWriter {
  write(line: string): unknown;
}

const colours = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;

/** Turns JSON log lines into lines for a person at a terminal: time, level, message, and the other fields as `name=value`. */
export function prettyLines(target: LineWriter, options: { readonly colour: boolean }): LineWriter {
  return { write: (line) => target.write(`${prettyLine(line, options.colour)}\n`) };
}

function prettyLine(line: string, colour: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    colour ? styleText(style, text, { validateStream: false }) : text;
  const clockTime = String(time).slice(11, 23);
  const levelText = String(level);
  const levelColour = levelText in colours ? colours[levelText as keyof typeof colours] : 'white';
  const facts = Object.entries(fields).map(([name, value]) => `${paint('dim', `${name}=`)}${fact(value)}`);
  const stacks = Object.values(fields).flatMap(stackOf);
  return [
    [paint('dim', clockTime), paint(levelColour, levelText.toUpperCase().padEnd(5)), String(msg), ...facts].join(' '),
    ...stacks.map((stack) => stack.replaceAll(/^/gm, '    ')),
  ].join('\n');
}

function fact(value: unknown): string {
  if (typeof value === 'string') return /^[^\s="]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value, (name, inner: unknown) => (name === 'stack' ? undefined : inner));
}

/** A stack in one line of JSON helps nobody: it follows below, as it was. */
function stackOf(value: unknown): string[] {
  const isError = typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string';
  return isError ? [String(value.stack)] : [];
}
