/**
 * Takes the pictures of the guides anew, of a running `up` with something to see in it: `node test/up/take-pictures.ts`. Those of what the fulfillment service keeps
 * are screens of test/console.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser, openPage } from '../console/browser.ts';
import { quartermasterInProcess, RunningUp } from './running-up.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const fit = '/?fit=1&cpu=300&memory=64+GiB&gpus=4&ports=1&replicas=2';
const order = (dseq: number): string => `akash1q7n3eq2m9yq3u5z8p0d4kfs6lvx2c9ratw8hjk/${dseq}/1/1`;

/** Name of the picture -> the page, its colours, and a text that is there once it is drawn. */
const pictures: Readonly<Record<string, readonly [path: string, scheme: 'dark' | 'light', drawn: RegExp]>> = {
  capacity: ['/', 'light', /\d reserved$/],
  nodes: ['/nodes', 'dark', /h100-3/],
  node: ['/nodes/h100-1', 'light', /nvidia|NVIDIA/],
  storage: ['/storage', 'light', /local-path/],
  fit: [fit, 'light', /Why not, node by node/],
};

const dataDir = mkdtempSync(join(tmpdir(), 'up-pictures-'));
const up = new RunningUp(['--scenario', 'gpu-farm', '--data-dir', dataDir, '--port', '0']);
const browser = await launchBrowser();
try {
  const { link, console: url } = await up.ready();
  const run = async (...args: readonly string[]): Promise<void> => {
    const { exitCode, stderr } = await quartermasterInProcess(...args, '--data-dir', dataDir);
    if (exitCode !== 0) throw new Error(`quartermaster ${args.join(' ')}: ${stderr}`);
  };
  await run('simulate', 'fault', 'add', 'node-loss', 'h100-3');
  await run('simulate', 'fault', 'add', 'gpu-xid', 'a100-2', '--code', '79');
  const { page } = await openPage(browser);
  await page.goto(link);
  await page.getByText('silent for').first().waitFor({ timeout: 120_000 });
  // After that: what is pending on a node that is lost is planned anew.
  for (const [at, model] of ['h200', 'a100', 'a100'].entries())
    await run('reserve', order(4711 + at), '--cpu', '8', '--memory', '64Gi', '--gpu', `${model}=4`, '--replicas', '2');
  for (const [name, [path, scheme, drawn]] of Object.entries(pictures)) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(new URL(path, url).href);
    await page.getByText(drawn).first().waitFor();
    await page.getByText('Loading').first().waitFor({ state: 'hidden' });
    await page.screenshot({ path: join(folder, `console-${name}-${scheme}.png`) });
  }
} finally {
  await browser.close();
  await up.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
