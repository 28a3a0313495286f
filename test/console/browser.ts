import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { debianPackages, findBinary } from '../../scripts/setup/debian.mjs';

/** Whether there is a browser; `npm test` installs one where it may. */
export const hasBrowser = (): boolean => findBinary(debianPackages.chromium.probe) !== undefined;

/** Debian's chromium, without a window. With `keepsPages` it keeps pages that it left in memory, to go back to, as browsers of people do. */
export async function launchBrowser({ keepsPages = false }: { readonly keepsPages?: boolean } = {}): Promise<Browser> {
  const executablePath = findBinary(debianPackages.chromium.probe);
  if (executablePath === undefined) throw new Error(`There is no chromium on PATH: apt-get install ${debianPackages.chromium.package}`);
  // Tests run as root in containers, where chromium's own sandbox cannot; it only ever opens our pages on loopback.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args, ignoreDefaultArgs: keepsPages ? ['--disable-back-forward-cache'] : [] });
}

/** A page, and what went wrong in it: uncaught errors, refused resources and everything on its console. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.text()} (${message.location().url})`);
  });
  return { page, problems, close: () => context.close() };
}

/** All rules of axe, or those of colours alone. */
export type AccessibilityRules = 'all' | 'colours';

const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** The serious and critical faults that axe finds, as `rule: element: what to do`. */
export async function accessibilityFaults(page: Page, rules: AccessibilityRules = 'all'): Promise<string[]> {
  // Through the debugger rather than a script element, which the page's content security policy refuses.
  if (await page.evaluate<boolean>('globalThis.axe === undefined')) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules === 'all' ? {} : { runOnly: colourRules }) };
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)}: ${failureSummary ?? ''}`));
}
