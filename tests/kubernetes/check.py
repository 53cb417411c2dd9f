"""Checks properties of the manifests that schemas cannot express: references, and restrictions of pods."""
import os
import re
import sys

import yaml

folder = sys.argv[1]
names = sorted(name for name in os.listdir(folder) if name.endswith(".yaml"))
manifests = {}
for name in names:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        manifests[name] = yaml.safe_load(file)
kustomization = manifests.pop("kustomization.yaml")
assert sorted(kustomization["resources"]) == sorted(manifests), "kustomization.yaml names every manifest once"
kinds = {manifest["kind"]: manifest for manifest in manifests.values()}
assert len(kinds) == len(manifests) == 6, sorted(kinds)
secrets = {secret["name"]: secret["files"] for secret in kustomization["secretGenerator"]}
images = {image["name"] for image in kustomization["images"]}
assert kustomization["namespace"] == kinds["Namespace"]["metadata"]["name"]


def fits(selector, labels):
    return all(labels.get(name) == value for name, value in selector.items())


def check_pod(template):
    spec = template["spec"]
    (container,) = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] and not spec["automountServiceAccountToken"]
    security = container["securityContext"]
    assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
    assert security["capabilities"]["drop"] == ["ALL"]
    assert container["image"] in images and container["resources"]["limits"]["memory"]
    mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    files = set()
    for volume in spec["volumes"]:
        assert volume["secret"]["defaultMode"] == 0o440
        files |= {f"{mounted[volume['name']]}/{file}" for file in secrets[volume["secret"]["secretName"]]}
    variables = {variable["name"]: variable["value"] for variable in container["env"]}
    # Secrets are only passed as files, never as environment variables.
    assert set(variables) == {"PAYROLL_CONFIG", "PAYROLL_KEY_FILE"} and set(variables.values()) == files, variables
    return container


deployment, job = kinds["Deployment"]["spec"], kinds["Job"]["spec"]
server = check_pod(deployment["template"])
assert check_pod(job["template"])["args"] == ["migrate"] and server["args"] == ["serve"]
servers, migration = (it["template"]["metadata"]["labels"] for it in (deployment, job))
assert deployment["replicas"] == 3 and fits(deployment["selector"]["matchLabels"], servers)
service = kinds["Service"]["spec"]
assert fits(service["selector"], servers) and not fits(service["selector"], migration), "only servers get requests"
assert fits(kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"], servers)
policy = kinds["NetworkPolicy"]["spec"]
assert all(fits(policy["podSelector"]["matchLabels"], labels) for labels in (servers, migration))
(port,) = server["ports"]
assert service["ports"][0]["targetPort"] == policy["ingress"][0]["ports"][0]["port"] == port["name"]
probes = {name: server[name]["httpGet"]["path"] for name in server if name.endswith("Probe")}
assert probes == {"livenessProbe": "/livez", "readinessProbe": "/readyz", "startupProbe": "/livez"}

# The termination grace period exceeds the default shutdown timeout plus the pause.
with open(os.path.join(folder, "../../settings.md"), encoding="utf-8") as file:
    timeout = int(re.search(r"### shutdown_timeout_seconds\n.*?Default: `(\d+)`", file.read(), re.S)[1])
assert deployment["template"]["spec"]["terminationGracePeriodSeconds"] > timeout + 5
print(f"{len(manifests)} manifests fit each other")
