export * from './cluster/index.ts';
export * from './scenario/index.ts';
export type { CertificateRequest, IssuedCertificate } from './server/certificates.ts';
export type { ActiveFault, Fault, Faults } from './server/faults.ts';
export { type SimulatedServer, type SimulatedServerOptions, startSimulatedServer } from './server/simulated-server.ts';
