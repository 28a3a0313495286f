import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { inject } from 'vitest';
import { times } from '../support/soak.ts';
import { type AccessibilityRules, accessibilityFaults } from './browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that QUARTERMASTER_TEST_SCREENSHOTS names, or nothing. */
    readonly screenshots: string;
  }
}

export interface Screen {
  readonly width: number;
  readonly height: number;
  readonly scheme: 'dark' | 'light';
  /** What axe looks at. It is the slow part: the middle size differs from the largest in widths alone, and a scheme in colours, which one size of it shows. */
  readonly axe: AccessibilityRules | undefined;
}

const screens: readonly Screen[] = [
  { width: 1440, height: 900, scheme: 'dark', axe: 'all' },
  { width: 1440, height: 900, scheme: 'light', axe: times(0, 1) === 1 ? 'colours' : undefined },
  { width: 1280, height: 800, scheme: 'dark', axe: undefined },
  { width: 1280, height: 800, scheme: 'light', axe: undefined },
  { width: 390, height: 844, scheme: 'dark', axe: undefined },
  { width: 390, height: 844, scheme: 'light', axe: 'all' },
];
const [first] = screens;

const withAxe = screens.flatMap(({ width, scheme, axe }) => (axe === undefined ? [] : [`${width} ${scheme} (${axe})`]));
/** For the names of tests: what `screenFaults` does. */
export const everyScreen = `in every size and scheme, by axe at ${withAxe.join(', ')}`;

/** For what changes fills and notices, but no widths. */
export const isExamined = ({ axe }: Screen): boolean => axe === 'all';
export const examinedScreens = `at ${screens
  .filter(isExamined)
  .map(({ width, scheme }) => `${width} ${scheme}`)
  .join(' and ')}`;

/** Where to leave pictures for a person to look at. */
const kept = inject('screenshots');

/**
 * Shows what a page has on it in every size and scheme that it must be good in, one after the other, and finds what is wrong: sideways scrolling, and the
 * serious faults of axe. The page is loaded once; it has the largest size again when this returns.
 */
export async function screenFaults(page: Page, name: string, isShown: (screen: Screen) => boolean = () => true): Promise<string[]> {
  // Once nothing waits for its first answer any more.
  await page.getByText('Loading').first().waitFor({ state: 'hidden', timeout: 30_000 });
  const faults: string[] = [];
  for (const screen of screens.filter(isShown)) {
    await show(page, screen);
    const suffix = `${screen.width}-${screen.scheme}`;
    await keepPicture(page, `${name}-${suffix}`);
    faults.push(...(await faultsOf(page, screen)).map((fault) => `${name}-${suffix}: ${fault}`));
  }
  if (first !== undefined) await show(page, first);
  return faults;
}

/** Resolves when what follows the size by itself, such as plots and long tables, has followed. */
export async function show(page: Page, { width, height, scheme }: Pick<Screen, 'width' | 'height' | 'scheme'>): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))');
}

async function faultsOf(page: Page, { axe }: Screen): Promise<string[]> {
  const pixelsTooWide = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  const tooWide = pixelsTooWide === 0 ? [] : [`${pixelsTooWide} pixels too wide`];
  return axe === undefined ? tooWide : [...tooWide, ...(await accessibilityFaults(page, axe))];
}

async function keepPicture(page: Page, name: string): Promise<void> {
  if (kept === '') return;
  await mkdir(kept, { recursive: true });
  await page.screenshot({ path: join(kept, `${name}.png`) });
}
