import { type BundleWithDsseEnvelope, bundleFromJSON, isBundleWithDsseEnvelope } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify';

/** Who says that a file is theirs, according to a certificate: in a CI system, the workflow. */
export interface Attestation {
  /** Who vouches for the identity. */
  issuer: string;
  identity: string;
}

/**
 * Verifies a Sigstore bundle with a statement about a file (in-toto, as CI systems make them of what they build). Asks nobody: the
 * bundle has the certificate and its entry in a public log, and the keys of these are in the trusted root.
 * @param text of the bundle
 * @param digests SHA-256 of the files that it may be about
 * @param root text of a trusted_root.json, or one a line
 * @throws an error whose message says what is wrong
 */
export function attestedBy(text: string, digests: readonly string[], root: string): Attestation {
  const bundle = bundleFromJSON(JSON.parse(text));
  if (!isBundleWithDsseEnvelope(bundle)) throw new Error('it signs a file, and no statement about one');
  const signer = firstThatReturns(rootsIn(root), (trusted) => {
    // An instance may have neither log; the time is then that of an authority.
    const [tlogThreshold, ctlogThreshold] = [trusted.tlogs, trusted.ctlogs].map(({ length }) => Math.min(1, length));
    return new Verifier(toTrustMaterial(trusted), { tlogThreshold, ctlogThreshold }).verify(toSignedEntity(bundle));
  });
  const { subjectAlternativeName: identity, extensions } = signer.identity ?? {};
  if (!identity || !extensions?.issuer) throw new Error('its certificate names nobody');
  if (!subjectsOf(bundle).some((sha256) => digests.includes(sha256)))
    throw new Error('it is about other files than bundle.zip and the log in it');
  return { issuer: extensions.issuer, identity };
}

function rootsIn(text: string): TrustedRoot[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const texts = lines.every((line) => line.startsWith('{"')) ? lines : [text];
  return texts.map((one) => TrustedRoot.fromJSON(JSON.parse(one)));
}

/** @throws the last error if none does */
function firstThatReturns<T, R>(items: readonly T[], act: (item: T) => R): R {
  for (const [i, item] of items.entries()) {
    try {
      return act(item);
    } catch (error) {
      if (i === items.length - 1) throw error;
    }
  }
  throw new Error('the file of trusted roots is empty');
}

/** SHA-256 of the files that a verified statement is about. */
function subjectsOf({ content: { dsseEnvelope } }: BundleWithDsseEnvelope): string[] {
  const { subject } = JSON.parse(dsseEnvelope.payload.toString('utf8')) as {
    subject?: { digest?: Record<string, string> }[];
  };
  return (subject ?? []).flatMap(({ digest }) => digest?.sha256 ?? []);
}
