import { describe, expect, it } from 'vitest';
import { runProgram } from '../program.ts';
import { shells } from './shell-scripts.ts';

/** What a shell is told at the end of this line, without the notes. */
async function completed(line: string): Promise<readonly string[]> {
  const { exitCode, out, err } = await run('__complete', '--line', `quartermaster ${line}`);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return out.split('\n').flatMap((each) => each.split('\t')[0] ?? []);
}

async function run(...args: readonly string[]) {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (text: string) => (written[name] += text) });
  const exitCode = await runProgram(args, { out: stream('out'), err: stream('err') });
  return { exitCode, ...written };
}

describe('completion', () => {
  it.each([
    ['ge', ['get', ':none', '']],
    ['re', ['reserve', 'release', 'removals', ':none', '']],
    ['help de', ['describe', 'deploy', 'delete', ':none', '']],
    ['get ho', ['hostnames', 'hosts', 'host-classes', 'host-pools', ':none', '']],
    ['get run', ['running-leases', ':none', '']],
    ['get running-leases --state ', ['pending', 'active', 'error', 'complete', ':none', '']],
    ['hostname t', ['transfer', ':none', '']],
    ['gc --d', ['--data-dir', '--dry-run', ':none', '']],
    ['get hostc', ['hostclasses', 'hostclass', ':none', '']],
    ['describe no', ['node', ':none', '']],
    ['get hosts -o ', ['table', 'wide', 'json', 'yaml', 'name', ':none', '']],
    ['get hosts --output=j', ['json', ':none', '']],
    ['get hosts --output json --o', ['--order', ':none', '']],
    ['get hosts --se', ['--server', '--selector', ':none', '']],
    ['get hosts -l a=b --se', ['--server', '--selector', ':none', '']],
    ['create cluster --node-set a=1 --node', ['--node-set', ':none', '']],
    ['get res', ['reservations', ':none', '']],
    ['explain f', ['fit', ':none', '']],
    ['get reservations --phase ', ['pending', 'active', ':none', '']],
    ['explain fit -f ', [':files', '']],
    ['reserve new', [':none', '']],
    ['up --kubernetes ', ['simulated', 'real', ':none', '']],
    ['up --kubeconfig ', [':files', '']],
    ['status --data-dir ', [':folders', '']],
    ['get nodes --ca-file=/e', [':files', '']],
    ['watch host', ['hosts', 'host-classes', 'host-pools', ':none', '']],
    ['watch hosts host', ['host-classes', 'host-pools', ':none', '']],
    ['completion ', ['bash', 'zsh', 'fish', ':none', '']],
    ['simulate fault add gpu', ['gpu-loss', 'gpu-xid', ':none', '']],
    ['service fulfillment token create x --role ', ['admin', 'controller', 'provider', 'sync', 'tenant', ':none', '']],
    ['create host new', [':none', '']],
    ['nothing of the kind', [':none', '']],
    ['get hosts --server 127.0.0.1:1 -- -', [':none', '']],
  ])('of %j', async (line, expected) => {
    expect(await completed(line)).toEqual(expected);
  });

  it('lists every command that people know, and no other', async () => {
    const all = await completed('');
    expect(all).toEqual(expect.arrayContaining(['up', 'get', 'claim', 'completion', 'help']));
    expect(all).not.toContain('__complete');
    expect((await run('--help')).out).not.toContain('__complete');
  });

  it('says a few words about each, on its line', async () => {
    const { out } = await run('__complete', '--line', 'quartermaster cla');
    expect(out).toBe('claim\tAssign free hosts to a node set of a cluster.\n:none\n');
  });

  it.each(['describe host', 'claim blue', 'explain node', 'describe reservation', 'unreserve', 'get reservations --node'])(
    'is silent about a server that is away: %s',
    async (line) => {
      expect(await completed(`${line} --server 127.0.0.1:1 `)).toEqual([':none', '']);
    },
  );
});

describe('the scripts of shells', () => {
  it.each(shells)('ask the command for everything: %s', async (shell) => {
    const { exitCode, out } = await run('completion', shell);
    expect(exitCode).toBe(0);
    expect(out).toContain('__complete --line');
    expect(out).not.toMatch(/\bhosts\b|--output/);
  });

  it('are for the shells that there are', async () => {
    expect(await run('completion', 'tcsh')).toMatchObject({ exitCode: 2, err: expect.stringContaining('bash, zsh, fish') });
  });

  it('register themselves as zsh and fish document it', async () => {
    expect((await run('completion', 'zsh')).out).toMatch(/^#compdef quartermaster\n[\s\S]*\n {2}compdef _quartermaster quartermaster\n/);
    expect((await run('completion', 'fish')).out).toMatch(
      /\ncomplete --command quartermaster --no-files --arguments '\(__quartermaster_complete\)'\n$/,
    );
  });
});
