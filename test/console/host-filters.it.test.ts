import { type ApiField, fieldsOf, type SchemaDocument } from '@quartermaster/console';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults, hasBrowser } from './browser.ts';
import { fillDatacenter } from './fulfilled-console.ts';
import { soon, useConsole } from './use-console.ts';

const timeout = 60_000;

/** A filter that asks for the field as its type allows. */
function askFor({ path, type, values = [] }: ApiField): string {
  const conditions: Readonly<Record<ApiField['type'], string>> = {
    text: ' == ""',
    number: ' == 1',
    bool: '',
    time: ' > now',
    enum: ` == ${values[0] ?? ''}`,
    list: '.exists(each, each == "")',
    messages: '.size() == 1',
    map: '.size() == 1',
  };
  return `this.${path}${conditions[type]}`;
}

describe.skipIf(!hasBrowser())('the filter of hosts', { timeout }, () => {
  const used = useConsole(fillDatacenter);
  const { open, expectCount } = used;
  const filter = () => used.page.getByLabel('Filter hosts');

  it('complete a filter as it is typed, by the keyboard alone', async () => {
    const { page } = used;
    await open('/hosts');
    await expectCount('36 hosts');
    await filter().focus();
    await page.keyboard.type('sta');
    const option = (name: string) => page.getByRole('option').filter({ hasText: name }).first();
    await option('this.status.state').waitFor();
    await page.keyboard.type('te');
    await page.keyboard.press('Tab');
    await soon(async () => expect(await filter().inputValue()).toBe('state:'));
    await page.keyboard.type('fail');
    await option('failed').waitFor();
    await page.keyboard.press('Tab');
    await expectCount('1 host matches');
    await filter().fill('');
    await page.keyboard.type('this.status.stat');
    await option('this.status.state').waitFor();
    await page.keyboard.press('Tab');
    await soon(async () => expect(await filter().inputValue()).toBe('this.status.state == '));
    await page.keyboard.type('fail');
    await option('HOST_STATE_FAILED').waitFor();
    await page.keyboard.press('ArrowDown');
    await soon(async () => expect(await filter().getAttribute('aria-activedescendant')).not.toBeNull());
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expectCount('1 host matches');
    expect(new URL(page.url()).searchParams.get('q')).toBe('this.status.state == HOST_STATE_FAILED');
    await filter().fill('this.spec.class == ');
    await option('"gpu"').click();
    await page.keyboard.press('Enter');
    await expectCount('9 hosts match');
    await filter().fill('rack');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox', { name: 'Completions' }).count()).toBe(0);
    expect(used.problems).toEqual([]);
  });

  it('offer no field that the API does not know, in either of its views', async () => {
    const { console } = used;
    const document = await console.call<SchemaDocument>('GET', '/openapi.json');
    const messages = { hosts: 'Host', host_classes: 'HostClass', clusters: 'Cluster', cluster_templates: 'ClusterTemplate', hubs: 'Hub' };
    for (const api of ['private', 'fulfillment']) {
      for (const [kind, message] of Object.entries(messages)) {
        const fields = fieldsOf(document, `${api}.v1.${message}`);
        expect({ api, kind, isDescribed: fields.length > 0 }).toEqual({ api, kind, isDescribed: api === 'private' || kind !== 'hubs' });
        if (fields.length === 0) continue;
        const query = new URLSearchParams({ filter: fields.map(askFor).join(' || '), limit: '1' });
        await console.call('GET', `/api/${api}/v1/${kind}?${query.toString()}`);
      }
    }
  });
});
