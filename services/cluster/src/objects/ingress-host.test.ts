import { expect, it } from 'vitest';
import { ingressHost } from './ingress-host.ts';

const lease = {
  owner: 'akash1cduzr54kdle453lzt28nxnf99ed4tue8l97lvy',
  dseq: 2914783n,
  gseq: 1,
  oseq: 1,
  provider: 'akash1nxq8gmsw2vlz3m68qvyvcf3kh6q269ajvqw6y0',
};

it('is the name that the ecosystem gives to a service of a lease', () => {
  expect(ingressHost(lease, 'web')).toBe('t6pi8llrvl8rf1d57ks8u1goh8');
});

it('differs between services and between leases', () => {
  const hosts = [ingressHost(lease, 'web'), ingressHost(lease, 'api'), ingressHost({ ...lease, oseq: 2 }, 'web')];
  expect(new Set(hosts).size).toBe(3);
});
