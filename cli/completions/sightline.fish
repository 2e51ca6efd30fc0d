# SPDX-License-Identifier: Apache-2.0
sightline completion fish | source
