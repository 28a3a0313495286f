import { type Cidr, parseCidr } from './cidr.ts';

/*
 * What is no part of the public internet, or answers differently to whoever is inside of a datacenter: no tenant reaches it, in whichever cluster. Networks
 * that are kept for examples in documents lead nowhere, and are not here.
 */

const texts = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, with the metadata of Alibaba Cloud at 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the host agent of Azure
  '169.254.0.0/16', // link-local, with the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, with the metadata of Oracle Cloud at 192.0.0.192
  '192.168.0.0/16', // private
  '198.18.0.0/15', // measurements between networks
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '::/64', // unspecified, loopback, and IPv4 in its older forms, translated (::ffff:0:a.b.c.d) and mapped, which the API server refuses to see by itself
  '64:ff9b::/96', // IPv4 by NAT64
  '64:ff9b:1::/48', // the same inside of a network
  '100::/64', // discarded
  '2001::/32', // IPv4 by Teredo
  '2002::/16', // IPv4 by 6to4
  'fc00::/7', // unique local, with the metadata of AWS at fd00:ec2::254
  'fe80::/10', // link-local
  'fec0::/10', // site-local, as it was once
  'ff00::/8', // multicast
];

export const standingNetworks: readonly Cidr[] = texts.flatMap((text) => parseCidr(text) ?? []);
