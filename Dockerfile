# Two images of one static binary:
#
#   docker build --tag earshot .                            distroless: the lab, official APIs, search pages
#   docker build --tag earshot:browser --target browser .   Debian with a Chromium, for assistants asked on the web
#
# Both run as an unprivileged user. /data holds the SQLite database and the captures.
# The repository is not part of the build, so name the version that 'earshot version' prints:
#
#   docker build --build-arg VERSION="$(git describe --tags --always --dirty)" --tag earshot .
#
# For several platforms: docker buildx build --platform linux/amd64,linux/arm64 …
# For the browser on a platform other than the builder's, that needs QEMU.

# The stage with the binary: build compiles it, released takes what goreleaser compiled.
ARG BINARY=build

# The compiler runs on the builder's platform and compiles for the image's platform.
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
# Only the sources, since the folder may also contain data and keys.
COPY *.go ./
COPY client client/
COPY cmd cmd/
COPY docs docs/
COPY internal internal/
ARG VERSION= TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -ldflags="-s -w -X main.release=${VERSION}" -o /out/earshot ./cmd/earshot \
 && mkdir -m 700 /out/data

FROM --platform=$BUILDPLATFORM debian:bookworm-slim AS released
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/earshot /out/earshot
RUN mkdir -m 700 /out/data

FROM ${BINARY} AS binary

# Chromium's sandbox is made of user namespaces, which Docker's default seccomp
# profile refuses: run this image with a profile that allows them.
FROM debian:bookworm-slim AS browser
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates chromium-headless-shell fonts-liberation \
 && rm -rf /var/lib/apt/lists/*
COPY --from=binary /out/earshot /usr/bin/earshot
COPY --from=binary --chown=65532:65532 /out/data /data
COPY --from=busybox:1.37-musl /bin/busybox /usr/bin/wget
ARG VERSION= REVISION=
LABEL org.opencontainers.image.title=Earshot org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION
USER 65532:65532
ENV EARSHOT_DATA=/data EARSHOT_LISTEN=0.0.0.0:8080 HOME=/tmp
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["earshot"]
CMD ["serve"]

# A build without --target creates this last stage. It contains busybox under the name wget
# for the health check, because distroless has neither a shell nor curl.
FROM gcr.io/distroless/static-debian12:nonroot AS service
COPY --from=binary /out/earshot /usr/bin/earshot
COPY --from=binary --chown=65532:65532 /out/data /data
COPY --from=busybox:1.37-musl /bin/busybox /usr/bin/wget
ARG VERSION= REVISION=
LABEL org.opencontainers.image.title=Earshot org.opencontainers.image.licenses=Apache-2.0 \
      org.opencontainers.image.version=$VERSION org.opencontainers.image.revision=$REVISION
USER 65532:65532
ENV EARSHOT_DATA=/data EARSHOT_LISTEN=0.0.0.0:8080
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/readyz"]
ENTRYPOINT ["earshot"]
CMD ["serve"]
