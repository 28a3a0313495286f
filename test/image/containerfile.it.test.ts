import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { access, copyFile, cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContainerRecipe, type MadeFolder, readRecipe } from './container-recipe.ts';
import { developmentPackages, type ProductionPackages, productionPackages } from './production-packages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const lockFile = join(root, 'package-lock.json');

interface Ending {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the recipe of the image', () => {
  let recipe: ContainerRecipe;
  let packages: ProductionPackages;
  /** What the image has under its home, made here from the same sources and the same packages. */
  let home: string;

  beforeAll(async () => {
    recipe = await readRecipe(join(root, 'Containerfile'));
    packages = await productionPackages(lockFile, 'apps/quartermaster');
    home = await mkdtemp(join(tmpdir(), 'image-'));
    for (const source of recipe.sources) {
      await cp(join(root, source), join(home, source), { recursive: true, filter: (from) => isInContext(relative(root, from)) });
    }
    for (const folder of packages.installed) await linkTree(join(root, folder), join(home, folder));
    for (const [workspace, place] of packages.workspaces) {
      await mkdir(dirname(join(home, place)), { recursive: true });
      await symlink(join(home, workspace), join(home, place));
    }
    for (const folder of recipe.made) await make(folder);
  });

  /** What a stage of its own makes with more packages than the image has. */
  async function make({ source, target, workspace, command }: MadeFolder): Promise<void> {
    const own = [...packages.workspaces].find(([, place]) => place === `node_modules/${workspace}`)?.[0];
    // A stage that installs all needs the bundler of them.
    const { installed } = await developmentPackages(lockFile, own ?? 'node_modules/rolldown');
    const tools = installed.filter((folder) => existsSync(join(root, folder)) && !packages.installed.includes(folder));
    for (const folder of tools) await linkTree(join(root, folder), join(home, folder));
    expect(await runIn(home, command)).toMatchObject({ code: 0, stderr: '' });
    expect(target).toBe(source);
    const made = join(home, relative(recipe.home, source));
    // The image runs it as another user than the one who made it.
    for (const name of await readdir(made, { recursive: true })) expect((await stat(join(made, name))).mode & 0o004).not.toBe(0);
    for (const folder of tools) await rm(join(home, folder), { recursive: true, force: true });
  }

  afterAll(async () => {
    await rm(home, { recursive: true, force: true });
  });

  /** Runs the image's entry point on its files, as its user would. */
  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ending> => runIn(home, [...recipe.entrypoint, ...args], env);

  function atHome(words: readonly string[]): [string, ...string[]] {
    const [program = '', ...args] = words.map((word) => word.replace(recipe.home, home));
    return [program === 'node' ? process.execPath : program, ...args];
  }

  async function runIn(folder: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ending> {
    const [program, ...args] = atHome(words);
    const child = spawn(program, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', KUBECONFIG: join(home, 'no-kubeconfig'), ...env },
    });
    const exit = once(child, 'close') as Promise<[number | null]>;
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
    return { code, stdout, stderr };
  }

  it('copies what exists, and all of our packages that the executable needs', async () => {
    for (const source of recipe.sources) await access(join(root, source), constants.R_OK);
    const copied = new Set(recipe.sources);
    const missing = [...packages.workspaces.keys()].filter((workspace) => !copied.has(workspace.split('/')[0] ?? ''));
    expect(missing).toEqual([]);
    const allowed = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n').filter((line) => line.startsWith('!'));
    expect(allowed.map((line) => line.slice(1)).toSorted()).toEqual(recipe.sources.toSorted());
  });

  it('brings the names of PCI devices along, which its base has not', () => {
    expect(recipe.systemPackages).toContain('pci.ids');
  });

  it('runs as nobody in particular unless a pod says otherwise', () => {
    expect(recipe.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('has an entry point that starts with the packages of production alone', async () => {
    const help = await run(recipe.command);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Usage: quartermaster');
  });

  it('has the commands that ask a server in one file, whatever the times of its files are', async () => {
    await utimes(join(home, 'apps/quartermaster/src/program.ts'), 1, 1);
    const told = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => { process.stdout.write(url + '\\n'); return next(url, context); } });`;
    const options = `--import data:text/javascript,${encodeURIComponent(told)}`;
    const { code, stdout, stderr } = await run(['get', 'nodes', '--server', '127.0.0.1:1'], { NODE_OPTIONS: options });
    expect([code, stderr]).toEqual([1, expect.stringContaining('no inventory answers at 127.0.0.1:1')]);
    const loaded = stdout.split('\n').filter((url) => url.startsWith('file:'));
    expect(loaded.filter((url) => url.includes('node_modules')).map((url) => basename(url))).toEqual([
      expect.stringMatching(/^client\.[0-9a-f]+\.mjs$/),
    ]);
  });

  it('runs discovery, and the operator as far as that comes without a cluster', async () => {
    const discovered = await run(['discovery', '--once', '--json']);
    expect(discovered).toMatchObject({ code: 0 });
    expect(JSON.parse(discovered.stdout)).toMatchObject({ cpu: { threads: expect.any(Number) } });
    const operator = await run(['operator', 'inventory', '--admin-port=0']);
    expect(operator.code).toBe(1);
    expect(operator.stderr).toContain('no-kubeconfig cannot be read');
  });

  it('has no bundler, serves the page that was built ahead, and says so where none was', async () => {
    expect(packages.installed.filter((folder) => /node_modules\/(vite|rolldown|esbuild)$/.test(folder))).toEqual([]);
    const args = ['console', '--console-port=0', '--console-fulfillment-url=http://127.0.0.1:9'];
    const [program, ...words] = atHome([...recipe.entrypoint, ...args]);
    const child = spawn(program, words, {
      cwd: home,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'] },
    });
    const exit = once(child, 'close');
    let said = '';
    let address: string | undefined;
    for await (const chunk of child.stdout) {
      said += String(chunk);
      address = /"url":"(http:[^"]+)","msg":"http server listens"/.exec(said)?.[1];
      if (address !== undefined) break;
    }
    const page = await fetch(`${address}/nodes`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
    child.kill('SIGTERM');
    expect((await exit)[0]).toBe(0);
    await rename(join(home, 'apps/console/.built'), join(home, 'apps/console/.elsewhere'));
    expect((await run(args)).stderr).toContain('run `npm run build:console`');
  });
});

/** As .dockerignore leaves out what was made, what was installed and what tests. */
function isInContext(path: string): boolean {
  return !path.endsWith('.test.ts') && path.split('/').every((part) => !['node_modules', '.built', 'test'].includes(part));
}

/** The same files under another name; copies where that cannot be. Packages inside of it that are installed apart are not part of it. */
async function linkTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      if (basename(source) !== 'node_modules') await linkTree(source, target);
    } else if (entry.isFile()) {
      await link(source, target).catch(() => copyFile(source, target));
    }
  }
}
