/**
 * A RegExp inside toMatchObject or objectContaining is compared as an object without keys, so every value matches it and the assertion cannot fail. Lists each one with
 * the way out. Exit code 1 when there are any.
 */
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import type { Violation } from './layer-rules.ts';

const matcher = /^(toMatchObject|objectContaining)$/;
const root = resolve(import.meta.dirname, '../..');

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

export function findObjectPatterns(file: string, text: string): Violation[] {
  const violations: Violation[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) look(each);
    // What a call makes of a pattern, like expect.stringMatching, is its own affair.
    if (!isNode(value) || value['type'] === 'CallExpression') return;
    if ('regex' in value) {
      const line = text.slice(0, Number(value['start'])).split('\n').length;
      violations.push({ file, line, message: 'a RegExp inside an object matches every value: use expect.stringMatching' });
    }
    for (const child of Object.values(value)) look(child);
  };
  new Visitor({
    CallExpression: ({ callee, arguments: args }) => {
      if (callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && matcher.test(callee.property.name)) look(args);
    },
  }).visit(parseSync(file, text).program);
  return violations;
}

if (import.meta.main) {
  const isSkipped = (name: string): boolean => /(^|\/)(node_modules|go|generated)$/.test(name) || /(^|\/)\./.test(name);
  const violations = globSync('**/*.{ts,tsx}', { cwd: root, exclude: isSkipped })
    .toSorted()
    .flatMap((file) => {
      const text = readFileSync(resolve(root, file), 'utf8');
      return /toMatchObject|objectContaining/.test(text) ? findObjectPatterns(file, text) : [];
    });
  for (const { file, line, message } of violations) console.log(`${file}:${line} ${message}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
