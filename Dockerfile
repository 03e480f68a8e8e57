# The hosts for containers: `entrypoint` (session hooks, then your program), `worker` and `serve`.
#   docker build -t hookline . && docker run --rm hookline --version
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels "/source[serve,bus]"

FROM python:3.13-slim
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home discobot
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels "hookline[serve,bus]" && rm -rf /wheels
WORKDIR /workspace
ENTRYPOINT ["hookline"]
CMD ["--help"]
