/** A backup that cannot be taken, trusted or loaded: one sentence for the operator. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}
