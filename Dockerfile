# An image with the command `investigator`: the final stage has no build tools and runs as an unprivileged user.
#   docker build -t investigator .
#   docker run --rm --network none -v ~/papers:/papers:ro -v investigator:/workspace investigator ask /papers "question"

FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/investigator
RUN /opt/investigator/bin/pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu -c constraints.txt ".[mcp]"

FROM python:3.13-slim
COPY --from=build /opt/investigator /opt/investigator
RUN useradd --create-home --uid 10001 investigator && install -d -o investigator -g investigator /workspace
ENV PATH=/opt/investigator/bin:$PATH XDG_DATA_HOME=/workspace
USER investigator
VOLUME /workspace
ENTRYPOINT ["investigator"]
CMD ["--help"]
