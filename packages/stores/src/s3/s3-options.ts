/** Who asks. As the S3 provider issued them. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

/** A bucket of an S3-compatible object store: Amazon S3, MinIO, Ceph, R2 and others. */
export interface S3Options {
  readonly bucket: string;
  /** `us-east-1` unless given; R2 wants `auto`. */
  readonly region?: string;
  /** Where the service is, as in `https://minio.internal:9000`. Amazon's address of the region unless given. */
  readonly endpoint?: string;
  /** Where browsers reach the service, when that is another address. Links point there. */
  readonly publicEndpoint?: string;
  /** A function is asked before each request: for credentials that expire. */
  readonly credentials: S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
  /** Keys begin with this, as in `reprise/`. Several stores share a bucket by it. Empty unless given. */
  readonly prefix?: string;
  /** Whether the bucket is a part of the path and not of the host name. Only Amazon's own addresses get it into the host unless given. */
  readonly pathStyle?: boolean;
  /** Blobs of up to this many bytes stay in the database: a small object costs as much time as a large one. 65,536 unless given. */
  readonly inlineBytes?: number;
  /** The bytes of one part of a large blob; memory holds one part of each upload. 8 MiB unless given, which allows 78 GiB. */
  readonly partBytes?: number;
  /** How long one request may take until its answer begins. 60 s. */
  readonly timeoutMs?: number;
  /** How often a request is sent before it fails, when the service is busy or cannot be reached. 4. */
  readonly attempts?: number;
}
