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
      'Hostnames that no tenant may have. A leading dot means the domain and everything below it. International names may be written in their own script.',
    ),
  'deployment-ingress-domain': domain('Domain below which services get generated hostnames. Tenants cannot claim names in it.'),
  'deployment-ingress-static-hosts': z
    .boolean()
    .default(false)
    .describe(
      'Whether each service that shares a port gets a generated hostname below deployment-ingress-domain. Without it, the manifest of such a service must name at least one.',
    ),
  'cluster-public-hostname': domain(
    'Hostname of the cluster. Tenants can claim neither it nor anything below it; containers get it as AKASH_CLUSTER_PUBLIC_HOSTNAME.',
  ),
  'hostname-cool-down': duration({ min: '0s', max: '30d' })
    .prefault('10m')
    .describe('How long a released hostname can be claimed only by its last owner.'),
  'hostnames-per-owner': z
    .int()
    .min(1)
    .max(100_000)
    .default(500)
    .describe(
      'How many hostnames one account may have in all of its leases together, including those it released less than hostname-cool-down ago. Generated hostnames do not count.',
    ),
};
