/**
 * Which addresses a webhook may lead to: the public internet, and what the operator allows on top. Ranges from the special
 * purpose registries of IANA (IPv4 and IPv6); for IPv6 only global unicast is public to begin with.
 */
import { BlockList, isIP } from 'node:net';

const privateV4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared behind carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, metadata of cloud machines
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
  ['168.63.129.16', 32], // the host of a virtual machine in Azure
] as const;

const specialV6 = [
  ['2001::', 23], // Teredo, ORCHID, benchmarks and other protocols
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4 carries an IPv4 address of anybody's choice
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const;

const forbidden = new BlockList();
for (const [net, prefix] of privateV4) forbidden.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of specialV6) forbidden.addSubnet(net, prefix, 'ipv6');
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** @param allowed what the operator allows besides public addresses */
export function isAllowedAddress(address: string, allowed: BlockList): boolean {
  const family = familyOf(address);
  if (family === undefined) return false;
  if (allowed.check(address, family)) return true;
  return !forbidden.check(address, family) && (family === 'ipv4' || globalUnicast.check(address, 'ipv6'));
}

/** Addresses and ranges such as `10.1.0.0/16`, as the settings have checked them. */
export function addressRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = familyOf(address) ?? 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  // A zone (`fe80::1%eth0`) is a matter of one machine.
  const version = address.includes('%') ? 0 : isIP(address);
  return version === 4 ? 'ipv4' : version === 6 ? 'ipv6' : undefined;
}
