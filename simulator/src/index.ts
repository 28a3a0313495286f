export * from './cluster/index.ts';
export * from './scenario/index.ts';
export type { CertificateRequest, IssuedCertificate } from './server/access/certificates.ts';
export type { ActiveFault, Fault, Faults } from './server/request/faults.ts';
export { type SimulatedServer, type SimulatedServerOptions, startSimulatedServer } from './server/simulated-server.ts';
