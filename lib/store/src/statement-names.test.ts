import { describe, expect, it } from 'vitest';
import { StatementNames } from './statement-names.ts';

const asked = (names: StatementNames, text: string, times: number): (string | undefined)[] =>
  Array.from({ length: times }, () => names.statement(text).name);

describe('names of statements', () => {
  it('are given to texts that come again and again, and stay', () => {
    const [first, second, third, fourth] = asked(new StatementNames('list'), 'select 1', 4);
    expect([first, second]).toEqual([undefined, undefined]);
    expect(third).toMatch(/^list-[0-9a-f]{24}$/);
    expect(fourth).toBe(third);
  });

  it('differ for every text, and are the same in every process', () => {
    const [names, others] = [new StatementNames('list'), new StatementNames('list')];
    const one = asked(names, 'select 1', 3).at(-1);
    expect(asked(names, 'select 2', 3).at(-1)).not.toBe(one);
    expect(asked(others, 'select 1', 3).at(-1)).toBe(one);
  });

  it('end at a number, and what came after that is sent without one', () => {
    const names = new StatementNames('list');
    const given = Array.from({ length: 60 }, (_, index) => asked(names, `select ${index}`, 3).at(-1));
    expect(given.filter((name) => name !== undefined)).toHaveLength(50);
    expect(names.statement('select 59')).toEqual({ text: 'select 59' });
    expect(names.statement('select 0').name).toBe(given[0]);
  });

  it('forget texts that came once, of which there may be any number', () => {
    const names = new StatementNames('list');
    asked(names, 'select old', 2);
    for (let index = 0; index < 500; index += 1) names.statement(`select ${index}`);
    expect(names.statement('select old').name).toBeUndefined();
  });

  it('remembers no text that is very long', () => {
    const names = new StatementNames('list');
    const long = `select '${'x'.repeat(10_000)}'`;
    for (let i = 0; i < 10; i += 1) expect(names.statement(long)).toEqual({ text: long });
  });
});
