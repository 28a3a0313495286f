import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
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

  /** Nothing waits for its first answer any more, nothing scrolls the page sideways, and axe finds no serious fault. */
  async expectGood(page: Page, name: string): Promise<void> {
    await expect.poll(() => page.getByText('Asking').count(), { timeout: 30_000 }).toBe(0);
    await page.screenshot({ path: join(this.#folder, `${name}.png`) });
    const pixelsTooWide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect({ name, pixelsTooWide }).toEqual({ name, pixelsTooWide: 0 });
    if (!sameForAxe.test(name)) expect({ name, faults: await accessibilityFaults(page) }).toEqual({ name, faults: [] });
  }
}
