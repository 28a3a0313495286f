import { FilterProblem, quoted } from '../language/filter-problem.ts';
import { boolType, describeType, type FilterType, intType } from '../language/filter-type.ts';
import { parseDuration, parseTimestamp } from '../language/literals.ts';
import { hintFor } from '../language/nearest-name.ts';
import type { Node, TextTest } from '../language/node.ts';
import { Pattern } from '../language/pattern.ts';
import { fold } from './fold.ts';

/** Those with arguments that are ordinary expressions; has() and the quantifiers are not. A method is a function of its receiver, too. */
type CallCheck = (args: readonly Node[], at: number) => Node;

const calls: ReadonlyMap<string, { readonly count: number; readonly check: CallCheck }> = new Map([
  ['size', { count: 1, check: size }],
  ['contains', { count: 2, check: textTest('contains') }],
  ['startsWith', { count: 2, check: textTest('startsWith') }],
  ['endsWith', { count: 2, check: textTest('endsWith') }],
  ['matches', { count: 2, check: matches }],
  ['int', { count: 1, check: conversion('int', ['uint', 'double', 'string', 'timestamp']) }],
  ['uint', { count: 1, check: conversion('uint', ['int', 'string']) }],
  ['double', { count: 1, check: conversion('double', ['int', 'uint', 'string']) }],
  ['string', { count: 1, check: conversion('string', ['int', 'uint', 'bool']) }],
  ['timestamp', { count: 1, check: moment('timestamp', parseTimestamp, '2026-01-31T12:00:00Z, of the years 1 to 9999') }],
  ['duration', { count: 1, check: moment('duration', parseDuration, '1h30m or 1.5s, of at most 10 000 years') }],
]);

/** `args` begin with the receiver where there is one. */
export function checkCall(name: string, args: readonly Node[], at: number): Node {
  const call = calls.get(name);
  if (call === undefined) {
    throw new FilterProblem(
      at,
      `there is no function ${quoted(name)}${hintFor(name, [...calls.keys(), 'has', 'all', 'exists', 'exists_one'])}`,
    );
  }
  if (args.length !== call.count)
    throw new FilterProblem(at, `${name}() takes ${call.count} operand${call.count === 1 ? '' : 's'}, not ${args.length}`);
  return fold(call.check(args, at));
}

function size([of]: readonly Node[], at: number): Node {
  if (of === undefined || !['string', 'bytes', 'list', 'map'].includes(of.type.kind)) {
    throw new FilterProblem(at, `size() needs a string, bytes, a list or a map, not ${described(of)}`);
  }
  return { kind: 'size', type: intType, of };
}

function textTest(test: TextTest): CallCheck {
  return ([subject, argument], at) => {
    if (subject?.type.kind !== 'string' || argument?.type.kind !== 'string') {
      throw new FilterProblem(at, `${test}() needs two strings, not ${described(subject)} and ${described(argument)}`);
    }
    return { kind: 'textTest', type: boolType, test, subject, argument };
  };
}

function matches([subject, pattern]: readonly Node[], at: number): Node {
  if (subject?.type.kind !== 'string') throw new FilterProblem(at, `matches() needs a string, not ${described(subject)}`);
  if (pattern?.kind !== 'literal' || typeof pattern.value !== 'string')
    throw new FilterProblem(at, 'matches() needs its pattern as a string literal');
  return { kind: 'matches', type: boolType, subject, pattern: new Pattern(pattern.value, at) };
}

function conversion(to: 'int' | 'uint' | 'double' | 'string', from: readonly FilterType['kind'][]): CallCheck {
  return ([of], at) => {
    if (of?.type.kind === to) return of;
    if (of === undefined || !from.includes(of.type.kind)) {
      throw new FilterProblem(at, `${to}() converts ${[to, ...from].join(', ')}, not ${described(of)}`);
    }
    return { kind: 'conversion', type: { kind: to }, of };
  };
}

function moment(kind: 'timestamp' | 'duration', parse: (text: string) => bigint | undefined, example: string): CallCheck {
  return ([of], at) => {
    if (of?.type.kind === kind) return of;
    if (of?.kind !== 'literal' || typeof of.value !== 'string')
      throw new FilterProblem(at, `${kind}() needs a string literal such as ${example}`);
    const value = parse(of.value);
    if (value === undefined) throw new FilterProblem(at, `${quoted(of.value)} is not a valid ${kind}: write one such as ${example}`);
    return { kind: 'literal', type: { kind }, value };
  };
}

function described(node: Node | undefined): string {
  return node === undefined ? 'nothing' : describeType(node.type);
}
