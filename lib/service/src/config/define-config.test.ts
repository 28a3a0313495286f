import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineConfig, joinConfigs } from './define-config.ts';
import { loadConfig } from './load-config.ts';

describe('defineConfig', () => {
  it.each([
    ['a key that is not kebab-case', { pollPeriod: z.string().describe('x') }, 'must be kebab-case'],
    ['a key without a description', { a: z.string() }, 'needs a description'],
    [
      'two keys with one flag',
      { 'a-b': z.string().describe('x'), a: z.object({ b: z.string().describe('x') }) },
      'are both the flag --a-b',
    ],
  ])('refuses %s', (_name, shape, message) => {
    expect(() => defineConfig(shape)).toThrow(message);
  });

  it('joins definitions that share a schema and refuses those that only share a name', () => {
    const shared = z.string().default('x').describe('Shared.');
    const a = defineConfig({ shared, a: z.string().default('a').describe('A.') });
    const b = defineConfig(
      { shared },
      { rules: [(config) => (config.shared === 'bad' ? { key: 'shared', message: 'is bad' } : undefined)] },
    );
    const joined = joinConfigs([a, b]);
    expect(a.slice(loadConfig(joined, {}).values)).toEqual({ shared: 'x', a: 'a' });
    expect(b.slice(loadConfig(joined, {}).values)).toEqual({ shared: 'x' });
    expect(() => loadConfig(joined, { args: ['--shared=bad'] })).toThrow('is bad');
    expect(() => joinConfigs([a, defineConfig({ shared: z.string().describe('Other.') })])).toThrow('declared twice and differently');
  });
});
