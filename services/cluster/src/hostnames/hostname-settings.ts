import { duration } from '@quartermaster/service';
import * as z from 'zod';
import { isRefusal, normalDomain } from './normal-hostname.ts';

/** In A-labels and lower case. */
const domain = (description: string) =>
  z
    .string()
    .transform((written, ctx): string => {
      const normal = normalDomain(written);
      if (!isRefusal(normal)) return normal;
      ctx.addIssue({ code: 'custom', message: `"${written.slice(0, 80)}" ${normal.message}` });
      return z.NEVER;
    })
    .optional()
    .meta({ typeName: 'string' })
    .describe(description);

const blocked = z.string().transform((written, ctx): string => {
  const dot = written.startsWith('.') ? '.' : '';
  const normal = normalDomain(written.slice(dot.length));
  if (!isRefusal(normal)) return `${dot}${normal}`;
  const wayOut = written.startsWith('*.') ? `write ${written.slice(1, 80)} for a domain and everything below it` : normal.message;
  ctx.addIssue({ code: 'custom', message: `"${written.slice(0, 80)}": ${wayOut}` });
  return z.NEVER;
});

/** Which names tenants may have, and which they are given. */
export const hostnameSettings = {
  'blocked-hostnames': z
    .array(blocked)
    .default([])
    .describe(
      'Hostnames that no tenant gets. With a dot in front, the domain and everything below it. International names may be written in their own script.',
    ),
  'deployment-ingress-domain': domain('Domain below which the provider gives names to services. Tenants can claim nothing in it.'),
  'deployment-ingress-static-hosts': z
    .boolean()
    .default(false)
    .describe(
      'Gives each service that shares a port a name below deployment-ingress-domain. Without it, such services must name hostnames.',
    ),
  'cluster-public-hostname': domain(
    'Name under which the cluster is reached; services are told it. Tenants can claim neither it nor anything below it.',
  ),
  'hostname-cool-down': duration({ min: '0s', max: '30d' })
    .prefault('10m')
    .describe('How long a hostname that was given back can be claimed by its last owner alone.'),
  'hostnames-per-owner': z
    .int()
    .min(1)
    .max(100_000)
    .default(500)
    .describe(
      'How many hostnames one account may have over all of its leases, including those it released less than hostname-cool-down ago. Names that the provider gives do not count.',
    ),
};
