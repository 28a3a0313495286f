import { StatusError } from '@quartermaster/kernel';
import { defineConfig, defineRole, type ProcessHost } from '@quartermaster/service';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declare as declareRoles } from '../commands/local/role.ts';
import { runRole } from './run-role.ts';

const config = defineConfig({ 'greeting-name': z.string().default('world').describe('Whom to greet.') });
const other = defineRole({
  name: 'other',
  summary: 'Does something else.',
  config: defineConfig({ 'other-key': z.string().optional().describe('Of another role.') }),
  start: () => Promise.resolve({ stop: () => {} }),
});

function scripted() {
  const written = { out: '', err: '' };
  const exits: number[] = [];
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (written[name] += text) });
  const host: ProcessHost = { on: () => {}, off: () => {}, exit: (code) => void exits.push(code) };
  return { written, exits, host, output: { out: stream('out'), err: stream('err') } };
}

const failing = (greeted: string[]) =>
  defineRole({
    name: 'greeter',
    summary: 'Greets once and fails.',
    config,
    start: ({ config: { 'greeting-name': name } }) => {
      greeted.push(name);
      return Promise.reject(new StatusError('failed_precondition', 'has no voice: give it one'));
    },
  });

describe('runRole', () => {
  it('gives a role its settings, and ends with a line and 1 when it cannot start', async () => {
    const greeted: string[] = [];
    const role = failing(greeted);
    const { written, exits, host, output } = scripted();
    const environment = { QUARTERMASTER_OTHER_KEY: 'x' };
    const args = ['--greeting-name', 'Ada', '--log-level=debug'];
    expect(await runRole({ role, known: [role, other], args, environment, host }, output)).toBe(1);
    expect(exits).toEqual([1]);
    expect(greeted).toEqual(['Ada']);
    expect(written.out).toContain('"msg":"admin server listens"');
    expect(written.err).toBe('quartermaster: role greeter failed: has no voice: give it one\n');
  });

  it('refuses a setting that no role has and names the nearest', async () => {
    const role = failing([]);
    const { host, output } = scripted();
    const running = runRole({ role, known: [role], args: ['--greting-name', 'Ada'], environment: {}, host }, output);
    await expect(running).rejects.toThrow('did you mean --greeting-name');
  });
});

describe('declareRoles', () => {
  it('makes a command below its family of each role', () => {
    const command = new Command('operator');
    const [first, second] = [failing([]), other].map((role) => ({ ...role, name: `operator-${role.name}` }));
    if (first === undefined || second === undefined) throw new Error('there are two');
    declareRoles(command, { output: scripted().output, exitWith: () => {} }, [first, second]);
    expect(command.commands.map((each) => [each.name(), each.description()])).toEqual([
      ['greeter', 'Greets once and fails.'],
      ['other', 'Does something else.'],
    ]);
  });
});
