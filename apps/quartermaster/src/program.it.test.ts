import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freshBundle } from './client-bundle.ts';
import { runProgram } from './program.ts';

const main = fileURLToPath(new URL('../bin/quartermaster.mjs', import.meta.url));

interface Ending {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The executable as a shell runs it. */
const run = (...args: readonly string[]): Promise<Ending> => node(main, ...args);

function node(...args: readonly string[]): Promise<Ending> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });
}

describe('a command whose server is away', () => {
  // While it waits to try again, nothing but the command itself keeps the process from ending.
  it.each([[['whoami']], [['create', 'host', 'x']]])('%j says so and fails', async (args) => {
    const { code, stdout, stderr } = await run(...args, '--server', '127.0.0.1:1');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^quartermaster: no fulfillment service answers at 127\.0\.0\.1:1 .*: start it, or name another with --server/);
  });
});

describe('the bundle of the client', () => {
  it('says the same as the sources', async () => {
    expect(await node(fileURLToPath(new URL('make-client-bundle.ts', import.meta.url)))).toMatchObject({ code: 0 });
    const bundle = freshBundle();
    expect(bundle).toBeDefined();
    const bundled = (await import(bundle ?? '')) as { runProgram: typeof runProgram };
    const ending = async (program: typeof runProgram, args: readonly string[]) => {
      const texts = { out: '', err: '' };
      const stream = (name: 'out' | 'err') => ({ write: (text: string) => (texts[name] += text) });
      return { code: await program(args, { out: stream('out'), err: stream('err') }), ...texts };
    };
    const lines = [
      'get --help',
      'get hosts --help',
      'create host --help',
      'get nodes --server no/where',
      'apply',
      'delete hosts',
      'get nothing',
      'watch',
    ];
    for (const line of lines) {
      const args = [...line.split(' '), ...(line === 'watch' ? ['nothing'] : [])];
      expect(await ending(bundled.runProgram, args)).toEqual(await ending(runProgram, args));
    }
    expect(await ending(bundled.runProgram, ['get', 'nodes', '--server', '127.0.0.1:1'])).toMatchObject({ code: 1, out: '' });
  });
});

describe('help and version', () => {
  // What is loaded, rather than how long it takes, which depends on what else the machine does.
  it.each(['--help', '--version'])('%s loads commander and the table of commands, and nothing that commands work with', async (flag) => {
    const told = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context); } });`;
    const { stderr } = await node('--import', `data:text/javascript,${encodeURIComponent(told)}`, main, flag);
    const loaded = stderr.split('\n').filter((url) => url.startsWith('file:'));
    const packages = new Set(loaded.flatMap((url) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []));
    expect([...packages]).toEqual(['commander']);
    expect(loaded.filter((url) => !url.includes('node_modules')).map((url) => url.replace(/^.*\/apps\/quartermaster\//, ''))).toEqual(
      expect.arrayContaining(['bin/quartermaster.mjs', 'src/main.ts', 'src/program.ts', 'src/command-table.ts']),
    );
    expect(loaded.length).toBeLessThan(20);
  });
});
