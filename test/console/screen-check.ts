import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from './browser.ts';

const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

/** Every size and scheme that a screen must be good in. */
export const screens = sizes.flatMap(({ width, height }) =>
  (['dark', 'light'] as const).map((scheme) => ({ width, height, scheme, suffix: `${width}-${scheme}` })),
);

/** axe is the slow part. The middle size differs from the largest in widths alone, and contrasts do not depend on the size. */
const sameForAxe = /-1280-|-390-dark/;

/** Where to leave the pictures for a person to look at. */
const kept = process.env['QUARTERMASTER_TEST_SCREENSHOTS'];

/** Takes pictures and finds what is wrong with a screen. */
export class ScreenCheck {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<ScreenCheck> {
    const folder = kept ?? (await mkdtemp(join(tmpdir(), 'quartermaster-screens-')));
    await mkdir(folder, { recursive: true });
    return new ScreenCheck(folder);
  }

  async close(): Promise<void> {
    if (kept === undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  /** Takes a picture once nothing waits for its first answer any more. What is wrong: sideways scrolling of the page, and the serious faults of axe. */
  async faultsOf(page: Page, name: string): Promise<string[]> {
    await page.getByText('Asking').first().waitFor({ state: 'hidden', timeout: 30_000 });
    await page.screenshot({ path: join(this.#folder, `${name}.png`) });
    const pixelsTooWide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    const tooWide = pixelsTooWide === 0 ? [] : [`${pixelsTooWide} pixels too wide`];
    const faults = [...tooWide, ...(sameForAxe.test(name) ? [] : await accessibilityFaults(page))];
    return faults.map((fault) => `${name}: ${fault}`);
  }
}
