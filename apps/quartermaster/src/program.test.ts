import { Command, Help } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandTable } from './command-table.ts';
import { runProgram } from './program.ts';
import { roleCommand } from './roles/role-command.ts';
import { roles } from './roles/roles.ts';

async function run(...args: string[]) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (written[name] += text) });
  const exitCode = await runProgram(args, { out: stream('out'), err: stream('err') });
  return { exitCode, ...written };
}

describe('runProgram', () => {
  it('hands the flags of a role to the role, which knows what they mean', async () => {
    const { exitCode, err } = await run('operator', 'inventory', '--inventory-grpc-prot=1');
    expect(err).toContain('did you mean --inventory-grpc-port');
    expect(exitCode).toBe(2);
  });

  it('lists the settings of a role in its help', async () => {
    const { exitCode, out } = await run('operator', 'inventory', '--help');
    expect(out).toContain('--inventory-grpc-port (integer, default 8081)\n      Port of the gRPC API');
    expect(out).toContain('--log-level');
    expect(exitCode).toBe(0);
  });

  it('hands the flags of one reading to discovery', async () => {
    const { exitCode, err } = await run('discovery', '--once', '--nothing');
    expect(err).toContain('discovery --once takes --json, --host-root FOLDER and --path FOLDER');
    expect(exitCode).toBe(2);
  });

  it.each([[['get', 'nodes', '--nothing']], [['simulate', 'fault', 'add', 'nothing']], [['nothing']]])(
    'refuses %j with a line and 2, and does not end the process',
    async (args) => {
      const { exitCode, err } = await run(...args);
      expect(err).toMatch(/^quartermaster: /);
      expect(exitCode).toBe(2);
    },
  );

  it.each([
    [['get', 'thing'], 'quartermaster get --help'],
    [['describe', 'thing'], 'quartermaster describe --help'],
    [['explain', 'thing', 'x'], 'quartermaster explain --help'],
    [['thing'], 'quartermaster --help'],
  ])('says after %j where what there is can be read', async (args, hint) => {
    expect((await run(...args)).err).toContain(hint);
  });

  it.each([
    ['get', 'node'],
    ['get', 'gpu'],
    ['get', 'class'],
    ['get', 'allocation'],
    ['get', 'reservation'],
    ['get', 'rsv'],
    ['describe', 'reservations'],
    ['explain', 'fit'],
    ['describe', 'nodes'],
    ['explain', 'storage'],
  ])('knows %s %s by that name, too', async (...args) => {
    expect(await run(...args, '--help')).toMatchObject({ exitCode: 0, err: '' });
  });

  it('prints the version', async () => {
    expect(await run('--version')).toEqual({ exitCode: 0, out: '0.1.0\n', err: '' });
  });
});

describe('the table of commands', () => {
  const output = { out: { write: () => true }, err: { write: () => true } };

  it.each(commandTable.map((row) => [row.usage, row] as const))('says of %s what its module declares', async (_usage, row) => {
    const command = new Command(row.usage.split(' ')[0]).description(row.summary);
    for (const argument of row.usage.split(' ').slice(1)) if (argument !== '[options]') command.argument(argument);
    (await row.load()).declare(command, { output, exitWith: () => {} });
    expect(new Help().subcommandTerm(command)).toBe(row.usage);
    const role = roles.find(({ name }) => name === command.name());
    if (role !== undefined) expect(row.summary).toBe(role.summary);
    if (role === undefined && command.options.length === 0 && command.registeredArguments.length === 0)
      expect(command.commands).not.toEqual([]);
  });

  it.each(roles.map((role) => [roleCommand(role).join(' '), role] as const))('has %s, which runs that role', async (words, role) => {
    const { exitCode, out } = await run(...words.split(' '), '--help');
    expect(out).toMatch(new RegExp(`^Usage: quartermaster ${words} .*--KEY VALUE`));
    for (const flag of role.portFlags) expect(out).toContain(flag);
    expect(exitCode).toBe(0);
    const refused = await run(...words.split(' '), '--no-such-setting=1');
    expect(refused.err).toContain('--no-such-setting');
    expect(refused.exitCode).toBe(2);
  });
});
