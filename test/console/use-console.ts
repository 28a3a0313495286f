import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { launchBrowser, openPage, type WatchedPage } from './browser.ts';
import { type FulfilledConsole, startFulfilledConsole } from './fulfilled-console.ts';

export const soon = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 50 });

/** The console over a real service, in a real browser. */
export interface UsedConsole {
  readonly console: FulfilledConsole;
  /** Of the test that runs. */
  readonly page: Page;
  /** What that page complained of. */
  readonly problems: readonly string[];
  /** Opens a path of the console and waits until it is live. */
  open(path: string): Promise<void>;
  /** Until a table of objects says that it has so many. */
  expectCount(text: string): Promise<void>;
}

/** One browser and one console for the tests of a describe, and a page for each of them. */
export function useConsole(fill: (console: FulfilledConsole) => Promise<void>): UsedConsole {
  let browser: Browser;
  let console: FulfilledConsole;
  let watched: WatchedPage;

  beforeAll(async () => {
    browser = await launchBrowser();
    console = await startFulfilledConsole();
    await fill(console);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await console.stop();
  });
  beforeEach(async () => {
    watched = await openPage(browser);
    await console.enter(watched.page);
  });
  afterEach(async () => {
    await watched.close();
  });

  return {
    get console() {
      return console;
    },
    get page() {
      return watched.page;
    },
    get problems() {
      return watched.problems;
    },
    open: async (path) => {
      await watched.page.goto(console.url + path);
      await watched.page.getByText(/^live ·/).waitFor();
    },
    expectCount: (text) => soon(async () => expect(await watched.page.getByTestId('object-count').innerText()).toBe(text)),
  };
}
