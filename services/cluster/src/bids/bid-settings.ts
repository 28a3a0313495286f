import { byteSize, duration } from '@quartermaster/service';
import * as z from 'zod';
import { server } from '../knowledge/knowledge-settings.ts';
import { parseDecimal } from '../model/decimal.ts';

const market = server('the market that orders come from; without it, and without a recording, nothing is bid for', 'cluster-market');
const file = z.string().min(1).optional();
const texts = () => z.array(z.string().min(1)).default([]);

const decimal = 'must be a decimal number of at most 18 digits after the point, such as 0.0016';

const price = (of: string) =>
  z
    .union([z.string(), z.number()], { error: decimal })
    .transform((written, ctx): bigint => {
      const value = parseDecimal(String(written));
      if (value !== undefined) return value;
      ctx.addIssue({ code: 'custom', message: decimal });
      return z.NEVER;
    })
    .prefault('0')
    .meta({ typeName: 'decimal' })
    .describe(`Price of ${of} for each block of the market.`);

/** `name=price,…`; a price alone is that of the name in `alone`. */
const prices = (alone: string, description: string) =>
  z
    .union([z.string(), z.number()], { error: decimal })
    .transform((written, ctx): ReadonlyMap<string, bigint> => {
      const found = new Map<string, bigint>();
      for (const part of String(written)
        .split(',')
        .filter((each) => each.trim() !== '')) {
        const at = part.lastIndexOf('=');
        const value = parseDecimal(part.slice(at + 1).trim());
        if (value === undefined)
          ctx.addIssue({ code: 'custom', message: `has "${part.trim().slice(0, 60)}"; it must be NAME=PRICE,… with decimal numbers` });
        else found.set(at < 0 ? alone : part.slice(0, at).trim(), value);
      }
      return found;
    })
    .prefault('')
    .meta({ typeName: 'prices' })
    .describe(description);

/** `key=value` each. */
const attributes = (description: string) =>
  z
    .array(z.string().regex(/^[^=]+=.*$/, 'must be KEY=VALUE'))
    .default([])
    .transform(
      (list): ReadonlyMap<string, string> =>
        new Map(list.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)])),
    )
    .describe(description);

/** What is bid for, how much, and for how long. */
export const bidSettings = {
  'cluster-market-address': market.address,
  'cluster-market-ca-file': market.ca,
  'cluster-market-token-file': market.token,
  'bid-recording-file': file.describe(
    'Plays the orders of this file instead of those of a market, to try settings: JSON lines, see docs/guides/bids.md.',
  ),
  'bid-provider-attributes': attributes('Attributes of this provider, as KEY=VALUE: an order must require none that is not among them.'),
  'bid-auditors': texts().describe('Auditors that have signed these attributes.'),
  'bid-order-attributes': attributes('Attributes, as KEY=VALUE, that an order must require to be bid on.'),
  'bid-blocked-owners': texts().describe('Owners whose orders are declined. With * at its end a name stands for all that begin so.'),
  'bid-allowed-owners': texts().describe(
    'Where there are any, orders of everybody else are declined. With * at its end as bid-blocked-owners.',
  ),
  'bid-orders-at-once': z
    .number()
    .int()
    .min(1)
    .max(256)
    .default(32)
    .describe('How many orders are worked on at the same time: priced, reserved for, bid on, released.'),
  'bid-timeout': duration({ min: '10s', max: '24h' })
    .prefault('5m')
    .describe(
      'How long a bid waits for the tenant. Then it is closed, and what was reserved for it is given back once the market has confirmed that.',
    ),
  'bid-price-strategy': z
    .enum(['scale', 'program'])
    .default('scale')
    .describe('Whether prices are made by the scale below, or by the program of bid-price-script-path.'),
  'bid-price-denom': z
    .string()
    .min(1)
    .default('uakt')
    .describe('What the prices of the scale are in. Orders that pay in something else are declined.'),
  'bid-price-cpu-scale': price('a thousandth of a CPU'),
  'bid-price-memory-scale': price('a MiB of memory'),
  'bid-price-storage-scale': prices(
    'default',
    'Prices of a MiB of storage, as CLASS=PRICE,…: classes, ephemeral, ram, and default for those that are not named. A price alone is the default.',
  ),
  'bid-price-gpu-scale': prices(
    '*',
    'Prices of a card, as VENDOR/MODEL=PRICE,… with VENDOR/* and * for others. Cards without a price are not bid for.',
  ),
  'bid-price-endpoint-scale': price('an endpoint'),
  'bid-price-ip-scale': price('a leased address'),
  'bid-price-script-path': z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe(
      'Program that makes prices: the order as JSON on its input, a decimal number on its output; no shell, and no environment but AKASH_OWNER and AKASH_DENOM.',
    ),
  'bid-price-script-process-limit': z.number().int().min(1).max(1000).default(32).describe('How often it runs at the same time.'),
  'bid-price-script-process-timeout': duration({ min: '100ms', max: '5m' }).prefault('10s').describe('How long it may run.'),
  'bid-price-script-memory-limit': byteSize()
    .prefault('512Mi')
    .describe(
      'How much memory it may have, set with /usr/bin/prlimit of util-linux; 0: as much as this process may. Without prlimit it must be 0.',
    ),
  'bid-decision-retention': duration({ min: '1m' }).prefault('7d').describe('How long it is kept what became of an order.'),
  'bid-decision-max': z
    .number()
    .int()
    .min(100)
    .max(100_000)
    .default(10_000)
    .describe('For how many orders that is kept: the oldest go first.'),
};
